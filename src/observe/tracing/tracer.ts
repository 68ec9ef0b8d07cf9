/** Traces of requests as the rest of the program sees them; `open-telemetry.ts` makes them, and is loaded only for them. */
import type { Span, SpanAttributes } from '../../base/span.ts';

/** What a TracingConfiguration says. Plain data. */
export interface TracingSettings {
  /** Address of the collector: `grpc://host:port`, or `unix://` with the path of a socket. */
  readonly endpoint: string;
  /** Of a million requests without a trusted parent so many are traced. */
  readonly samplingRatePerMillion: number;
  /** Whether the release continues traces of privileged clients (kube-apiserver: since 1.33). */
  readonly trustsPrivileged: boolean;
}

/** The beginning of a request. */
export interface RequestStart {
  readonly name: string;
  /** On the monotonic clock. */
  readonly since: number;
  /** Asked for if the request is recorded. */
  readonly attributes: () => SpanAttributes;
  /** The headers `traceparent` and `tracestate` of the client; '' for none. */
  readonly traceparent: string;
  readonly tracestate: string;
  /** The header `baggage` of the client, which a continued trace passes on (W3C Baggage); '' for none. */
  readonly baggage: string;
  /** The client may continue its trace here. Otherwise the request begins another one that links to it. */
  readonly isTrusted: boolean;
}

export interface Tracer {
  readonly settings: TracingSettings;
  /** The span of a request; it is recorded by the sampling rules. */
  begin(start: RequestStart): Span;
  /** Sends what is left, for some seconds at most. */
  close(): Promise<void>;
}
