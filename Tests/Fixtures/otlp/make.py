#!/usr/bin/env python3
"""Writes requests.txt: OTLP requests in protobuf, made by the messages that the OpenTelemetry project publishes.

    pip install opentelemetry-proto && ./make.py > requests.txt

Each line is a name and the request in base64. What must come of each stands in OTLPFixtureTests.swift.
"""

import base64

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

START = 1_698_000_000_000_000_000


def value(item):
    if isinstance(item, bool):
        return AnyValue(bool_value=item)
    if isinstance(item, int):
        return AnyValue(int_value=item)
    if isinstance(item, float):
        return AnyValue(double_value=item)
    if isinstance(item, bytes):
        return AnyValue(bytes_value=item)
    if isinstance(item, list):
        return AnyValue(array_value=ArrayValue(values=[value(part) for part in item]))
    if isinstance(item, dict):
        return AnyValue(kvlist_value=KeyValueList(values=pairs(item)))
    return AnyValue(string_value=item)


def pairs(attributes):
    return [KeyValue(key=key, value=value(item)) for key, item in attributes.items()]


def fill(group, resource):
    group.resource.attributes.extend(pairs(resource))
    group.resource.dropped_attributes_count = 3
    group.schema_url = "https://opentelemetry.io/schemas/1.36.0"


PHONE = {
    "telemetry.sdk.language": "swift",
    "device.id": "phone",
    "service.name": "com.example.app",
    "service.version": "4.2",
    "service.instance.id": "process-1",
    "session.id": "session-1",
    "os.name": "iOS",
    "os.version": "17.0",
    "os.type": "darwin",
    "device.model.identifier": "iPhone15,2",
    "device.model.name": "iPhone 14 Pro",
    "host.cpus": [1, 2.5, True, b"\x00\xff"],
}

TABLET = {"app.installation.id": "tablet", "service.namespace": "shop", "service.name": "com.example.app",
          "service.version": 7, "os.name": "Android", "service.instance.id": "process-2"}


def logs():
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    fill(group, PHONE)
    scope = group.scope_logs.add()
    scope.scope.name = "lifecycle"
    scope.scope.version = "1.0"
    scope.scope.attributes.extend(pairs({"event.name": "device.app.lifecycle", "ios.app.state": "background"}))
    scope.schema_url = "https://opentelemetry.io/schemas/1.36.0"

    record = scope.log_records.add()
    record.time_unix_nano = START
    record.observed_time_unix_nano = START + 5_000_000_000
    record.severity_number = 9
    record.severity_text = "INFO"
    record.event_name = "device.app.lifecycle"
    record.attributes.extend(pairs({
        "thread.id": 259, "ios.app.state": "active", "deep": {"ios.app.state": "inactive"}}))
    record.dropped_attributes_count = 1
    record.flags = 1
    record.trace_id = bytes(range(16))
    record.span_id = bytes(range(8))

    record = scope.log_records.add()
    record.time_unix_nano = START + 1_000_000_000
    record.event_name = "http.client.request"
    record.attributes.extend(pairs({"name": "device.app.lifecycle", "ios.app.state": "background"}))

    record = scope.log_records.add()
    record.observed_time_unix_nano = START + 2_999_999_999
    record.body.CopyFrom(value({"note": {"depth": [1, {"x": "y"}]}, "ios.state": "inactive"}))
    record.attributes.extend(pairs({"session.id": "session-2", "event.name": "device.app.lifecycle"}))

    record = scope.log_records.add()
    record.time_unix_nano = START + 3_000_000_000
    record.body.CopyFrom(value("cart opened"))

    group = request.resource_logs.add()
    fill(group, TABLET)
    group.scope_logs.add()
    scope = group.scope_logs.add()
    for offset, action in enumerate(["created", "started", "resumed"]):
        record = scope.log_records.add()
        record.time_unix_nano = START + offset * 100_000_000
        record.event_name = "app.ui.lifecycle"
        record.attributes.extend(pairs({"element.type": "Activity", "element.name": "Main", "element.id": 17,
                                        "lifecycle.action": action}))
    record = scope.log_records.add()
    record.time_unix_nano = START + 9_000_000_000
    record.event_name = "app.crash"
    record.attributes.extend(pairs({"exception.type": "java.lang.IllegalStateException"}))
    return request


def span(scope, name, start, end, attributes=None, events=()):
    added = scope.spans.add()
    added.trace_id = bytes(range(16))
    added.span_id = bytes(range(8))
    added.parent_span_id = bytes(8)
    added.trace_state = "a=b"
    added.flags = 257
    added.name = name
    added.kind = 1
    added.start_time_unix_nano = START + start * 1_000_000
    added.end_time_unix_nano = START + end * 1_000_000
    added.attributes.extend(pairs(attributes or {}))
    for event, at in events:
        told = added.events.add()
        told.name = event
        told.time_unix_nano = START + at * 1_000_000
        told.attributes.extend(pairs({"thread.name": "main"}))
    link = added.links.add()
    link.trace_id = bytes(16)
    link.span_id = bytes(8)
    added.status.code = 1
    added.status.message = "fine"


def traces():
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    fill(group, TABLET)
    scope = group.scope_spans.add()
    scope.scope.name = "io.opentelemetry.lifecycle"
    main = {"activity.name": "Main", "screen.name": "Main"}
    span(scope, "AppStart", 0, 900, {"start.type": "cold"})
    span(scope, "Created", 100, 400, main, [
        ("activityPreCreated", 101), ("activityCreated", 150), ("activityPostCreated", 151),
        ("activityPostStarted", 201), ("activityPreStarted", 200), ("activityStarted", 202),
        ("activityPreResumed", 250), ("activityPostResumed", 260), ("other", 261)])
    span(scope, "GET /cart", 500, 700, {"http.request.method": "GET"})
    span(scope, "Paused", 20_000, 20_010, main, [("activityPrePaused", 19_999)])
    span(scope, "device.app.lifecycle", 30_000, 30_000, {"android.app.state": "background"})
    span(scope, "device.app.lifecycle", 31_000, 31_001, {"android.app.state": "foreground"})
    span(scope, "AppStart", 40_000, 40_900, {"start.type": "hot", "app.screen.name": "Main"},
         [("activityResumed", 40_200)])
    return request


def metrics():
    request = ExportMetricsServiceRequest()
    group = request.resource_metrics.add()
    fill(group, PHONE)
    metric = group.scope_metrics.add().metrics.add()
    metric.name = "Created"
    metric.unit = "ms"
    point = metric.gauge.data_points.add()
    point.time_unix_nano = START
    point.as_int = 5
    return request


for name, request in [("logs", logs()), ("traces", traces()), ("metrics", metrics())]:
    print(name, base64.b64encode(request.SerializeToString()).decode())
