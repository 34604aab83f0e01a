#!/usr/bin/env python3
"""Breaks workers and broker over and over under load, and compares what came out with a fold of what went in.

  endurance.py --phasefold PROGRAM --bootstrap HOST:PORT --signal TERM|KILL|MIXED|RESTORE [--rounds 20] [--events 200000]
               [--seconds 4] [--workers 1] [--commit 1s] [--seed 1] [--guarantee exactly_once|at_least_once]
               [--broker SCRIPT --broker-folder DIR] [--unkeyed] [--backlog] [--partitions 4] [--every-figure]
               [--set KEY=VALUE ...]

A topic is filled from `phasefold simulate` while workers fold it; every few seconds one thing goes wrong. TERM: a
worker is stopped (it must end with 0) and started again. KILL: it is killed. MIXED: killed, stopped, frozen for longer
than its session and thawed, or the broker is killed and started again (where --broker tells how); once, half way, the
topic gets more partitions. RESTORE: a worker is killed, and each one that comes after it again, in the middle of
reading the checkpoint back, which small fetches make slow; the last one comes through. By --unkeyed records have no
key and the events of a device are in every partition; by --backlog all is there before the first worker. At the end the topic is read back and folded by `phasefold replay`, each partition a file,
and every window's newest committed row is compared with that; without keys all records are one file, by stream time. By exactly_once nothing may be missing and nothing may
count twice; by at_least_once nothing may be missing. --every-figure compares all fields but revision and final, else
only what a worker's lost state does not change: events of any kind. Ends with 1 where something is wrong.
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
SESSION = 6.0
# A fetch brings one batch, and all commits since the beginning have to be read.
SLOW_RESTORE = ["checkpoint.pass=100000", "kafka.consumer.fetch.message.max.bytes=1"]


class Worker:
    """One worker process; its log goes to a file of its own."""

    def __init__(self, program, properties, folder, number):
        self.number = number
        self.path = os.path.join(folder, f"worker-{number}.log")
        self.log = open(self.path, "ab")
        self.begin = os.path.getsize(self.path)
        self.process = subprocess.Popen(
            [program, "run", "-c", properties, "--set", f"worker.name=w{number}"], stderr=self.log, stdout=self.log)

    def said(self, text):
        """How many lines of the log since its start hold a text."""
        with open(self.path) as file:
            file.seek(self.begin)
            return sum(text in line for line in file)

    def waits_for(self, text, limit):
        end = time.monotonic() + limit
        while time.monotonic() < end and self.process.poll() is None:
            if self.said(text):
                return True
            time.sleep(0.01)
        return False

    def end(self, number, limit=60):
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


class Bench:
    """The topics, the workers, and what goes wrong with them."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.dice = random.Random(arguments.seed)
        self.name = f"endure-{arguments.signal.lower()}-{os.getpid()}"
        self.topic, self.output = f"{self.name}-in", f"{self.name}-out"
        self.properties = os.path.join(folder, "worker.properties")
        self.done = {}
        self.slowest = 0.0
        create(arguments.bootstrap, self.topic, arguments.partitions)
        with open(self.properties, "w") as file:
            file.write("\n".join([
                f"application.id={self.name}", f"input.topic={self.topic}", f"output.topic={self.output}",
                f"kafka.bootstrap.servers={arguments.bootstrap}",
                f"kafka.consumer.session.timeout.ms={int(SESSION * 1000)}",
                "kafka.consumer.heartbeat.interval.ms=1000", "kafka.topic.metadata.refresh.interval.ms=2000",
                "window.sizes=10m", f"commit.interval={arguments.commit}",
                f"delivery.guarantee={arguments.guarantee}", "http.listen=127.0.0.1:0",
                ] + (['input.keyed=false', 'idle.timeout=10s'] if arguments.unkeyed else ['idle.timeout=1h'])
                  + (SLOW_RESTORE if arguments.signal == "RESTORE" else []) + arguments.set + ['']))
        self.workers = [] if arguments.backlog else [self.start(number) for number in range(arguments.workers)]

    def start(self, number):
        return Worker(self.arguments.phasefold, self.properties, self.folder, number)

    def count(self, what):
        self.done[what] = self.done.get(what, 0) + 1

    def stop(self, number):
        index = self.dice.randrange(len(self.workers))
        worker = self.workers[index]
        status, seconds = worker.end(number)
        self.slowest = max(self.slowest, seconds)
        if number == signal.SIGTERM and status != 0:
            sys.stderr.write(open(worker.path).read()[-4000:])
            sys.exit(f"a worker ended with {status} after SIGTERM")
        self.count("stopped" if number == signal.SIGTERM else "killed")
        self.workers[index] = self.start(worker.number)

    def kill_restoring(self):
        """Kills a worker, and its successors while they restore; at least one kill must fall into a restore."""
        index = self.dice.randrange(len(self.workers))
        self.workers[index].end(signal.SIGKILL)
        self.count("killed")
        longest, within = 0.4, 0
        for _ in range(8):
            worker = self.workers[index] = self.start(self.workers[index].number)
            if worker.waits_for("partitions assigned", 30):
                time.sleep(self.dice.uniform(0, longest))
            worker.end(signal.SIGKILL)
            if worker.said("partitions assigned") and worker.said("states restored") < self.arguments.partitions:
                self.count("killed within a restore")
                within += 1
                if within == 2:
                    break
            else:
                self.count("killed beside a restore")
                longest /= 2
        self.workers[index] = self.start(self.workers[index].number)

    def freeze(self):
        worker = self.dice.choice(self.workers)
        worker.process.send_signal(signal.SIGSTOP)
        time.sleep(SESSION + self.dice.uniform(1, 4))
        worker.process.send_signal(signal.SIGCONT)
        self.count("frozen")

    def break_broker(self):
        script, folder = self.arguments.broker, self.arguments.broker_folder
        subprocess.run([script, "kill", folder], check=True, stdout=subprocess.DEVNULL)
        time.sleep(self.dice.uniform(0, 3))
        subprocess.run([script, "start", folder], check=True, stdout=subprocess.DEVNULL, close_fds=True)
        self.count("broker killed")

    def widen(self):
        from confluent_kafka.admin import AdminClient, NewPartitions

        admin = AdminClient({"bootstrap.servers": self.arguments.bootstrap})
        for future in admin.create_partitions([NewPartitions(self.topic, 6)]).values():
            future.result(20)
        self.count("partitions added")

    def go_wrong(self, round_number):
        kind = self.arguments.signal
        if kind == "TERM":
            return self.stop(signal.SIGTERM)
        if kind == "KILL":
            return self.stop(signal.SIGKILL)
        if kind == "RESTORE":
            return self.kill_restoring()
        if round_number == self.arguments.rounds // 2:
            self.widen()
        kill = lambda: self.stop(signal.SIGKILL)
        rare = [self.freeze] + ([self.break_broker] if self.arguments.broker else [])
        faults = [kill] * 12 + [lambda: self.stop(signal.SIGTERM)] * 2 + rare
        # A short run has each of them.
        least = [kill] + rare
        fault = least[round_number] if round_number < len(least) else self.dice.choice(faults)
        fault()

    def alive(self):
        for worker in self.workers:
            if worker.process.poll() is not None:
                sys.stderr.write(open(worker.path).read()[-4000:])
                sys.exit(f"a worker ended by itself with {worker.process.returncode}")

    def finish(self, total):
        """Waits until the output accounts for everything, and a little longer for what would be too much."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            self.alive()
            if sum(accounted(row) for row in newest(self.arguments.bootstrap, self.output).values()) >= total:
                break
            time.sleep(0.5)
        time.sleep(2)
        for worker in self.workers:
            worker.end(signal.SIGTERM)


def newest(bootstrap, topic):
    """The newest row of every key."""
    text = subprocess.run([sys.executable, PEER, "consume", bootstrap, topic], check=True, capture_output=True).stdout
    rows = {}
    for line in text.splitlines():
        record = json.loads(line)
        rows[record["key"]] = json.loads(record["value"])
    return rows


def accounted(row):
    if not row:
        return 0
    return (row["events"] + row["events_other"] + row["late_events"]
            + row["anomalies"].get("duplicate_event", 0))


def endure(arguments, folder):
    bench = Bench(arguments, folder)
    try:
        run(bench, arguments, folder)
    finally:
        for worker in bench.workers:
            worker.process.kill()


def run(bench, arguments, folder):
    load = fill(arguments, bench.topic)
    if arguments.backlog:
        load.wait()
        bench.workers = [bench.start(number) for number in range(arguments.workers)]
    for number in range(arguments.rounds):
        time.sleep(arguments.seconds * bench.dice.uniform(0.5, 1.5))
        bench.alive()
        bench.go_wrong(number)
    produced = int(load.communicate()[0].strip() or 0)
    if load.returncode != 0:
        sys.exit("the load could not be produced")
    wanted = reference(arguments, bench.topic, folder)
    bench.finish(sum(map(accounted, wanted.values())))
    judge(bench, newest(arguments.bootstrap, bench.output), wanted, produced)


def create(bootstrap, topic, partitions):
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.create_topics([NewTopic(topic, partitions, 1, config={"retention.ms": "-1"})]).values():
        future.result(20)


def fill(arguments, topic):
    """Simulates and produces at a rate that spans all rounds."""
    rate = 0 if arguments.backlog else arguments.events / max(arguments.rounds * arguments.seconds, 1)
    # So few devices that they live through many windows.
    devices = str(max(arguments.events // 100, 100))
    simulate = subprocess.Popen(
        [arguments.phasefold, "simulate", "--devices", devices, "--hours", "24", "--events", str(arguments.events),
         "--seed", str(arguments.seed), "--window", "10m"]
        # Without a number nothing waits for what is on its way through another partition.
        + (["--fields", "process_id,rx_ts"] if arguments.unkeyed else []), stdout=subprocess.PIPE)
    return subprocess.Popen(
        [sys.executable, PEER, "produce", arguments.bootstrap, topic, "--rate", str(rate)]
        + (["--batch", "50"] if arguments.unkeyed else []),
        stdin=simulate.stdout, stdout=subprocess.PIPE, text=True)


def reference(arguments, topic, folder):
    """The rows of a fold of what stands in the topic, each partition a file."""
    text = subprocess.run(
        [sys.executable, PEER, "consume", arguments.bootstrap, topic], check=True, capture_output=True).stdout
    files = {}
    for line in text.splitlines():
        record = json.loads(line)
        number = record["partition"]
        files.setdefault(number, []).append((record["offset"], record["timestamp"], record["value"]))
    if arguments.unkeyed:
        files = {0: sequence(files)}
    paths = []
    for number, records in sorted(files.items()):
        paths.append(os.path.join(folder, f"partition-{number}.ndjson"))
        with open(paths[-1], "w") as file:
            file.writelines(value + "\n" for _, _, value in records)
    sets = [word for pair in arguments.set if not pair.startswith("kafka.") for word in ("--set", pair)]
    text = subprocess.run(
        [arguments.phasefold, "replay", "--window", "10m"] + sets + paths, check=True, capture_output=True).stdout
    return {key_of(row): row for row in map(json.loads, text.splitlines())}


def sequence(files):
    """All records by the stream time of their partition, the largest receive time so far, then partition and offset."""
    order = []
    for number, records in files.items():
        stream = 0
        for record in sorted(records):
            stream = max(stream, record[1])
            order.append((stream, number, record))
    return [record for _, _, record in sorted(order)]


def judge(bench, rows, wanted, produced):
    arguments = bench.arguments
    missing = twice = different = 0
    for key in set(rows) | set(wanted):
        have, want = rows.get(key), wanted.get(key)
        surplus = accounted(have) - accounted(want)
        missing += max(-surplus, 0)
        twice += max(surplus, 0)
        if arguments.every_figure:
            fields = set(have or {}) | set(want or {})
            wrong = [name for name in sorted(fields - {"revision", "final"})
                     if not (have and want and have[name] == want[name])]
            if wrong:
                different += 1
                if different <= 5:
                    print(key, {name: [(row or {}).get(name) for row in (have, want)] for name in wrong})
    counted = sum(accounted(row) for row in rows.values())
    faults = ", ".join(f"{count} x {what}" for what, count in sorted(bench.done.items()))
    print(f"{faults}: {produced} events produced, {counted} accounted for, {missing} missing, {twice} counted twice, "
          + (f"{different} of {len(wanted)} rows differ, " if arguments.every_figure else "")
          + f"slowest end {bench.slowest:.1f} s, seed {arguments.seed}")
    if arguments.signal == "RESTORE" and not bench.done.get("killed within a restore"):
        sys.exit("no kill fell into a restore")
    is_wrong = missing or different or (twice and arguments.guarantee == "exactly_once")
    if is_wrong:
        for worker in bench.workers:
            sys.stderr.write(f"--- {worker.path}\n" + open(worker.path).read()[-6000:])
    sys.exit(1 if is_wrong else 0)


def key_of(row):
    names = [row.get(name, "") for name in ("app_id", "platform", "app_version")]
    return "/".join([row["window_start"], "10m"] + [n.replace("%", "%25").replace("/", "%2F") for n in names])


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--phasefold", required=True)
parser.add_argument("--bootstrap", required=True)
parser.add_argument("--signal", choices=["TERM", "KILL", "MIXED", "RESTORE"], required=True)
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--events", type=int, default=200000)
parser.add_argument("--seconds", type=float, default=4)
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--partitions", type=int, default=4, help="of the input topic")
parser.add_argument("--commit", default="1s", help="commit.interval of the workers")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--guarantee", choices=["exactly_once", "at_least_once"], default="exactly_once")
parser.add_argument("--broker", help="the script that kills and starts the broker")
parser.add_argument("--broker-folder")
parser.add_argument("--unkeyed", action="store_true", help="records without keys, 50 events each; input.keyed=false")
parser.add_argument("--backlog", action="store_true", help="workers begin when all of the input is there")
parser.add_argument("--every-figure", action="store_true")
parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a further key of the workers")
with tempfile.TemporaryDirectory() as place:
    endure(parser.parse_args(), place)
