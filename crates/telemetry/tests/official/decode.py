"""Decodes a request with OpenTelemetry's own Python types, which know nothing of this program.

Standard input is the body, the argument its media type. Prints a line for each span: trace, id, parent, name, start, end, status.
"""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def with_base64(value, key=None):
    """OTLP's JSON writes ids in hexadecimal digits, where protobuf's writes base64."""
    if isinstance(value, dict):
        return {name: with_base64(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_base64(inner) for inner in value]
    if key in ("traceId", "spanId", "parentSpanId"):
        return base64.b64encode(bytes.fromhex(value)).decode()
    return value


body = sys.stdin.buffer.read()
request = ExportTraceServiceRequest()
if sys.argv[1] == "application/json":
    # A field that there is not is an error.
    json_format.ParseDict(with_base64(json.loads(body)), request)
else:
    request.ParseFromString(body)
for resource in request.resource_spans:
    for scope in resource.scope_spans:
        for span in scope.spans:
            print(
                span.trace_id.hex(),
                span.span_id.hex(),
                span.parent_span_id.hex() or "-",
                span.name.replace(" ", "_"),
                span.start_time_unix_nano,
                span.end_time_unix_nano,
                span.status.code,
            )
