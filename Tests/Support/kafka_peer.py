#!/usr/bin/env python3
"""Another client's view of the worker's topics, for tests: fills a topic from NDJSON and reads one out.

  kafka_peer.py produce BOOTSTRAP TOPIC [--rate N] [--now] [--batch N]
                                                       lines of events from stdin: key device_id, record timestamp
                                                       rx_ts (or the time of sending with --now); with --batch so many
                                                       events a record, received together and without a key; prints
                                                       the count of events
  kafka_peer.py consume BOOTSTRAP TOPIC                every record up to the topic's end, as JSON lines with key,
                                                       value, headers, partition, offset, timestamp
"""
import argparse
import json
import sys
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

# A loaded broker that has just made a topic, or that was just killed, is waited for as long (s).
PATIENCE = 60


def records(arguments):
    """Value, key, timestamp and number of events of each record."""
    batch = []
    for line in sys.stdin.buffer:
        line = line.rstrip(b"\n")
        if not line:
            continue
        event = json.loads(line)
        stamp = 0 if arguments.now else int(event.get("rx_ts", 0))
        if not arguments.batch:
            yield line, event["device_id"].encode(), stamp, 1
            continue
        batch.append(event)
        if len(batch) == arguments.batch:
            yield together(batch)
            batch = []
    if batch:
        yield together(batch)


def together(batch):
    stamp = max(int(event.get("rx_ts", 0)) for event in batch)
    for event in batch:
        event["rx_ts"] = stamp
    return json.dumps(batch, separators=(",", ":")).encode(), None, stamp, len(batch)


def produce(arguments):
    failures = []
    producer = Producer({
        "bootstrap.servers": arguments.bootstrap, "linger.ms": 20, "partitioner": "murmur2_random",
        "enable.idempotence": True, "queue.buffering.max.messages": 200000, "log_level": 0,
    })

    def delivered(error, _):
        if error is not None:
            failures.append(str(error))

    count, begin = 0, time.monotonic()
    for value, key, stamp, events in records(arguments):
        while True:
            try:
                producer.produce(arguments.topic, value=value, key=key, timestamp=stamp, on_delivery=delivered)
                break
            except BufferError:
                producer.poll(0.1)
        count += events
        if count % 100 < events:
            producer.poll(0)
            if arguments.rate:
                ahead = count / arguments.rate - (time.monotonic() - begin)
                if ahead > 0:
                    time.sleep(ahead)
    producer.flush(120)
    if failures:
        sys.exit(f"{len(failures)} records were not delivered: {failures[0]}")
    print(count)


def answer(question):
    """What the broker says, asked again until it, the topic and the partition's leader are there."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return question()
        except KafkaException:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def consume(arguments):
    consumer = Consumer({
        "bootstrap.servers": arguments.bootstrap, "group.id": "kafka-peer", "enable.auto.commit": False,
        "auto.offset.reset": "earliest", "isolation.level": "read_committed", "enable.partition.eof": True,
        "log_level": 0,
    })
    topic = answer(lambda: consumer.list_topics(arguments.topic, timeout=5)).topics[arguments.topic]
    ends = {}
    for number in topic.partitions:
        partition = TopicPartition(arguments.topic, number)
        low, high = answer(lambda: consumer.get_watermark_offsets(partition, timeout=5))
        if high > low:
            ends[number] = high
    consumer.assign([TopicPartition(arguments.topic, number, 0) for number in ends])
    last = time.monotonic()
    while ends:
        message = consumer.poll(1)
        error = message.error() if message else None
        if message is None or (error and error.code() != KafkaError._PARTITION_EOF):
            if time.monotonic() - last > PATIENCE:
                sys.exit(f"the topic gave nothing for {PATIENCE} s: {error}; missing ends: {ends}")
            if error and error.fatal():
                sys.exit(str(error))
            continue
        last = time.monotonic()
        if error:
            # The last offset may be the mark of a transaction, which is no record.
            if message.offset() >= ends.get(message.partition(), 0):
                ends.pop(message.partition(), None)
            continue
        show(message)
    consumer.close()


def show(message):
    def text(data):
        return None if data is None else data.decode("utf-8", "replace")

    print(json.dumps({
        "key": text(message.key()), "value": text(message.value()), "partition": message.partition(),
        "offset": message.offset(), "timestamp": message.timestamp()[1],
        "headers": {name: text(value) for name, value in message.headers() or []},
    }))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
verbs = parser.add_subparsers(dest="verb", required=True)
for verb, run in (("produce", produce), ("consume", consume)):
    one = verbs.add_parser(verb)
    one.add_argument("bootstrap")
    one.add_argument("topic")
    if verb == "produce":
        one.add_argument("--rate", type=float)
        one.add_argument("--now", action="store_true")
        one.add_argument("--batch", type=int, default=0)
    one.set_defaults(run=run)
chosen = parser.parse_args()
chosen.run(chosen)
