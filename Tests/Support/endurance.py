#!/usr/bin/env python3
"""Stops a worker over and over under load, and counts what came of every event.

  endurance.py --phasefold PROGRAM --bootstrap HOST:PORT --signal TERM|KILL [--rounds 20] [--events 200000]
               [--seconds 4] [--workers 1] [--commit 1s] [--seed 1]

A topic is filled from `phasefold simulate` while a worker folds it; every few seconds one of the workers is stopped
(TERM: it must end with 0) or killed, and started again. At the end every window's newest row is compared with the
truth that the simulation wrote. Nothing may be missing: in no row fewer events than the truth has, unless they stand
in the same window as late or duplicate. What is counted twice is told. Ends with 1 where something is missing.
"""
import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kafka_peer.py")


class Worker:
    """One worker process; its log goes to a file of its own."""

    def __init__(self, program, properties, log):
        self.log = open(log, "ab")
        self.process = subprocess.Popen([program, "run", "-c", properties], stderr=self.log, stdout=self.log)

    def end(self, number, limit=30):
        """Sends a signal and waits; gives the exit status and the seconds it took."""
        begin = time.monotonic()
        self.process.send_signal(number)
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        self.log.close()
        return status, time.monotonic() - begin


def newest(bootstrap, topic):
    """The newest row of every key."""
    text = subprocess.run([sys.executable, PEER, "consume", bootstrap, topic], check=True, capture_output=True).stdout
    rows = {}
    for line in text.splitlines():
        record = json.loads(line)
        rows[record["key"]] = json.loads(record["value"])
    return rows


def accounted(row):
    return (row["events"] + row["events_other"] + row["late_events"]
            + row["anomalies"].get("duplicate_event", 0))


def settle(bootstrap, topic, limit=60):
    """Waits until the topic has not grown for three seconds."""
    last, since, end = None, time.monotonic(), time.monotonic() + limit
    while time.monotonic() < end:
        count = sum(accounted(row) for row in newest(bootstrap, topic).values())
        if count != last:
            last, since = count, time.monotonic()
        elif time.monotonic() - since > 3:
            return
        time.sleep(0.5)


def endure(arguments, folder):
    dice = random.Random(arguments.seed)
    name = f"endure-{arguments.signal.lower()}-{os.getpid()}"
    topic, output = f"{name}-in", f"{name}-out"
    create(arguments.bootstrap, topic, 4)
    properties = os.path.join(folder, "worker.properties")
    with open(properties, "w") as file:
        file.write("\n".join([
            f"application.id={name}", f"input.topic={topic}", f"output.topic={output}",
            f"kafka.bootstrap.servers={arguments.bootstrap}", "kafka.consumer.session.timeout.ms=6000",
            "kafka.consumer.heartbeat.interval.ms=1000", "window.sizes=10m", "idle.timeout=1h",
            f"commit.interval={arguments.commit}", "http.listen=127.0.0.1:0", "",
        ]))
    log = os.path.join(folder, "worker.log")
    truth = os.path.join(folder, "truth.ndjson")
    load = fill(arguments, topic, truth)
    workers = [Worker(arguments.phasefold, properties, log) for _ in range(arguments.workers)]
    number = signal.SIGTERM if arguments.signal == "TERM" else signal.SIGKILL
    slowest = 0.0
    for _ in range(arguments.rounds):
        time.sleep(arguments.seconds * dice.uniform(0.5, 1.5))
        index = dice.randrange(len(workers))
        status, seconds = workers[index].end(number)
        slowest = max(slowest, seconds)
        if number == signal.SIGTERM and status != 0:
            sys.exit(f"a worker ended with {status} after SIGTERM; its log: {log}")
        workers[index] = Worker(arguments.phasefold, properties, log)
    produced = load.communicate()[0].strip()
    if load.returncode != 0:
        sys.exit("the load could not be produced")
    time.sleep(10)
    for worker in workers:
        worker.end(signal.SIGTERM)
    last = Worker(arguments.phasefold, properties, log)
    time.sleep(5)
    settle(arguments.bootstrap, output)
    last.end(signal.SIGTERM)
    judge(arguments, newest(arguments.bootstrap, output), truth, int(produced), slowest)


def create(bootstrap, topic, partitions):
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.create_topics([NewTopic(topic, partitions, 1, config={"retention.ms": "-1"})]).values():
        future.result(20)


def fill(arguments, topic, truth):
    """Simulates and produces at a rate that spans all rounds."""
    rate = arguments.events / max(arguments.rounds * arguments.seconds, 1)
    simulate = subprocess.Popen(
        [arguments.phasefold, "simulate", "--devices", "2000", "--hours", "24", "--events", str(arguments.events),
         "--seed", str(arguments.seed), "--window", "10m", "--truth", truth], stdout=subprocess.PIPE)
    return subprocess.Popen(
        [sys.executable, PEER, "produce", arguments.bootstrap, topic, "--rate", str(rate)],
        stdin=simulate.stdout, stdout=subprocess.PIPE, text=True)


def judge(arguments, rows, truth, produced, slowest):
    missing = 0
    with open(truth) as file:
        for line in file:
            wanted = json.loads(line)
            row = next((row for row in [rows.get(key_of(wanted))] if row), None)
            have = accounted(row) if row else 0
            if have < accounted(wanted):
                missing += accounted(wanted) - have
    counted = sum(accounted(row) for row in rows.values())
    print(f"{arguments.rounds} x SIG{arguments.signal}: {produced} events produced, {counted} accounted for, "
          f"{missing} missing, {counted - produced + missing} counted twice, slowest end {slowest:.1f} s, "
          f"seed {arguments.seed}")
    sys.exit(1 if missing or counted < produced else 0)


def key_of(row):
    names = [row.get(name, "") for name in ("app_id", "platform", "app_version")]
    return "/".join([row["window_start"], "10m"] + [n.replace("%", "%25").replace("/", "%2F") for n in names])


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--phasefold", required=True)
parser.add_argument("--bootstrap", required=True)
parser.add_argument("--signal", choices=["TERM", "KILL"], required=True)
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--events", type=int, default=200000)
parser.add_argument("--seconds", type=float, default=4)
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--commit", default="1s", help="commit.interval of the workers")
parser.add_argument("--seed", type=int, default=1)
with tempfile.TemporaryDirectory() as place:
    endure(parser.parse_args(), place)
