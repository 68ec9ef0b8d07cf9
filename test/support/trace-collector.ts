/** A collector of traces over OTLP/gRPC, in plain text, as one beside the service is. */
import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { waitFor } from './wait-for.ts';

/** The messages of OTLP that are looked at (opentelemetry.proto.trace.v1). */
const proto = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Status { string message = 2; int32 code = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start = 7; fixed64 end = 8; repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
}
message ScopeSpans { repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Export { repeated ResourceSpans resource_spans = 1; }
`;
const exportType = protobuf.parse(proto).root.lookupType('Export');

export type Values = Readonly<Record<string, string | number | boolean>>;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for a root. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly start: number;
  readonly end: number;
  readonly attributes: Values;
  readonly links: readonly string[];
  readonly isError: boolean;
  readonly resource: Values;
}

export class TraceCollector implements AsyncDisposable {
  readonly endpoint: string;
  readonly spans: CollectedSpan[] = [];
  /** Requests that arrived. */
  exports = 0;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.endpoint = `127.0.0.1:${String(port)}`;
  }

  /** @param answers false: it takes requests and never answers */
  static async start({ answers = true } = {}): Promise<TraceCollector> {
    const server = new Server();
    let collector: TraceCollector | undefined = undefined;
    server.addService(service, {
      export: (call: { request: Buffer }, answer: (error: null, empty: Buffer) => void) => {
        collector?.take(call.request);
        if (answers) answer(null, Buffer.alloc(0));
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    collector = new TraceCollector(server, port);
    return collector;
  }

  /** The spans of a trace, once one of each of these names is there. */
  async trace(traceId: string, ...names: readonly string[]): Promise<readonly CollectedSpan[]> {
    const ofTrace = (): CollectedSpan[] => this.spans.filter((span) => span.traceId === traceId);
    await waitFor(
      `the spans of ${traceId}`,
      () => names.every((name) => ofTrace().some((span) => span.name === name)),
      { timeout: 30_000, details: () => this.spans.map(({ name }) => name).join('\n') },
    );
    return ofTrace();
  }

  /** The span with this attribute, once it is there. */
  async span(key: string, value: string | number): Promise<CollectedSpan> {
    const find = (): CollectedSpan | undefined =>
      this.spans.find(({ attributes }) => attributes[key] === value);
    await waitFor(`a span with ${key} ${String(value)}`, () => find() !== undefined, { timeout: 30_000 });
    return find() as CollectedSpan;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
    return Promise.resolve();
  }

  private take(bytes: Buffer): void {
    this.exports += 1;
    const { resourceSpans } = exportType.toObject(exportType.decode(bytes), {
      ...{ longs: Number, bytes: Array, defaults: true },
    }) as DecodedExport;
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push(collected(span, valuesOf(resource?.attributes ?? [])));
  }
}

const raw = (bytes: Buffer): Buffer => bytes;
const service: ServiceDefinition = {
  export: {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    ...{ requestStream: false, responseStream: false },
    ...{ requestSerialize: raw, requestDeserialize: raw, responseSerialize: raw, responseDeserialize: raw },
  },
};

type Bytes = readonly number[];
type KeyValue = { readonly key: string; readonly value: Readonly<Record<string, string | number | boolean>> };

interface DecodedSpan {
  readonly traceId: Bytes;
  readonly spanId: Bytes;
  readonly parentSpanId: Bytes;
  readonly name: string;
  readonly kind: number;
  readonly start: number;
  readonly end: number;
  readonly attributes: readonly KeyValue[];
  readonly links: readonly { readonly traceId: Bytes }[];
  readonly status: { readonly code: number } | null;
}

interface DecodedExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] } | null;
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}

function collected(span: DecodedSpan, resource: Values): CollectedSpan {
  const { name, kind, start, end } = span;
  return {
    ...{ name, kind, start, end, resource, isError: span.status?.code === 2 },
    ...{ traceId: hex(span.traceId), spanId: hex(span.spanId), parentId: hex(span.parentSpanId) },
    attributes: valuesOf(span.attributes),
    links: span.links.map(({ traceId }) => hex(traceId)),
  };
}

function hex(bytes: Bytes): string {
  return Buffer.from(bytes).toString('hex');
}

function valuesOf(list: readonly KeyValue[]): Values {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));
}
