/**
 * Traces by the SDK of the OpenTelemetry project, sent over OTLP/gRPC as kube-apiserver sends them (component-base/tracing). Ended
 * spans wait in a bounded queue and go out in small batches; what does not fit, or does not arrive in time, is lost.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  createTraceState,
  type Context,
  type Span as SdkSpan,
  type SpanContext,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { credentials } from '@grpc/grpc-js';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
} from '@opentelemetry/sdk-trace';
import type { PassiveClock } from '../../base/clock.ts';
import { withDeadline } from '../../base/pause.ts';
import type { Environment } from '../../base/environment.ts';
import type { Random } from '../../base/random.ts';
import type { Span, SpanAttributes, StepDetails } from '../../base/span.ts';
import type { RequestStart, Tracer, TracingSettings } from './tracer.ts';

const million = 1_000_000;
/** Bounds of the queue; a batch of this size is encoded in a few milliseconds. */
const queue = { maxQueueSize: 2_048, maxExportBatchSize: 128, scheduledDelayMillis: 1_000 };
/** A collector that takes longer loses the batch. */
const exportMs = 5_000;
/** Text of clients is cut there. */
const longestValue = 1_024;
/** Steps of one request; a list of very many pages would fill the queue alone. */
const mostSteps = 256;
const scope = 'orch-apiserver';

/** @param instance distinguishes this process from others of the service */
export function createTracer(settings: TracingSettings, environment: Environment, instance: string): Tracer {
  const exporter = new OTLPTraceExporter({
    ...{ url: settings.endpoint, credentials: credentials.createInsecure() },
    ...{ timeoutMillis: exportMs, userAgent: scope },
  });
  const ratio = settings.samplingRatePerMillion / million;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'apiserver', 'service.instance.id': instance }),
    sampler: new ParentBasedSampler({
      root: ratio > 0 ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOffSampler(),
    }),
    idGenerator: idsOf(environment.random),
    spanLimits: { attributeValueLengthLimit: longestValue },
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportMs, ...queue })],
  });
  const tracer = provider.getTracer(scope);
  return {
    settings,
    begin: (start) => beginRequest(tracer, environment.clock, start),
    close: async () => {
      const late = (): Error => new Error('the collector did not take the last spans in time');
      // What it did not take is lost; a stop waits no longer.
      await withDeadline(environment.clock, provider.shutdown(), exportMs, late).catch(() => undefined);
    },
  };
}

/** Ids of W3C Trace Context: 16 and 8 bytes, not all zero. */
function idsOf(random: Pick<Random, 'bytes'>): IdGenerator {
  return {
    generateTraceId: () => random.bytes(16).toString('hex'),
    generateSpanId: () => random.bytes(8).toString('hex'),
  };
}

function beginRequest(tracer: SdkTracer, clock: PassiveClock, start: RequestStart): Span {
  const remote = remoteContext(start);
  const isContinued = remote !== undefined && start.isTrusted;
  const parent = isContinued ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  const origin = clock.now() - clock.monotonic();
  const options = {
    ...{ kind: SpanKind.SERVER, startTime: origin + start.since },
    ...(remote && !isContinued && { links: [{ context: remote }] }),
  };
  const span = tracer.startSpan(start.name, options, parent);
  const baggage = isContinued ? baggageOf(start) : {};
  if (!span.isRecording()) return new SilentSpan(headersOf(span.spanContext(), baggage));
  span.setAttributes(start.attributes());
  return new RecordedSpan(
    span,
    { tracer, clock, origin, baggage, stepsLeft: mostSteps, isOver: false },
    true,
  );
}

/** Most of it that every program has to pass on (W3C Baggage, section 3.3.2). */
const mostBaggage = 8_192;

/** As sent: nothing here looks into it. */
function baggageOf({ baggage }: RequestStart): Span['headers'] {
  return baggage.length <= mostBaggage && /^[\t\x20-\x7e]+$/.test(baggage) ? { baggage } : {};
}

/** W3C Trace Context, section 3.2: later versions may add parts. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

function remoteContext(start: RequestStart): SpanContext | undefined {
  const [, traceId, spanId, flags, rest] = traceparent.exec(start.traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (rest !== undefined && start.traceparent.startsWith('00')) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const { tracestate } = start;
  return {
    ...{ traceId, spanId, traceFlags, isRemote: true },
    ...(tracestate !== '' && { traceState: createTraceState(tracestate) }),
  };
}

/** What the spans of a request share. */
interface TraceParts {
  readonly tracer: SdkTracer;
  readonly clock: PassiveClock;
  /** Wall-clock time of the zero of the monotonic clock: a step of the clock does not bend the trace. */
  readonly origin: number;
  /** The header that is passed on, if the client sent one. */
  readonly baggage: Span['headers'];
  stepsLeft: number;
  /** The request is over: what goes on in its name, such as a connection that others use as well, is none of its steps. */
  isOver: boolean;
}

function headersOf(
  { traceId, spanId, traceFlags, traceState }: SpanContext,
  baggage: Span['headers'],
): Span['headers'] {
  const state = traceState?.serialize() ?? '';
  return {
    traceparent: `00-${traceId}-${spanId}-0${String(traceFlags & TraceFlags.SAMPLED)}`,
    ...(state !== '' && { tracestate: state }),
    ...baggage,
  };
}

class RecordedSpan implements Span {
  private readonly span: SdkSpan;
  private readonly of: TraceParts;
  private readonly isRoot: boolean;
  private context: Context | undefined = undefined;

  constructor(span: SdkSpan, of: TraceParts, isRoot: boolean) {
    this.span = span;
    this.of = of;
    this.isRoot = isRoot;
  }

  get headers(): Span['headers'] {
    return headersOf(this.span.spanContext(), this.of.baggage);
  }

  child(name: string, { kind = 'internal', attributes = {}, since }: StepDetails = {}): Span {
    const { of } = this;
    if (of.isOver || of.stepsLeft <= 0) return new SilentSpan(this.headers);
    of.stepsLeft -= 1;
    this.context ??= trace.setSpan(ROOT_CONTEXT, this.span);
    const options = {
      ...{ kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes },
      startTime: of.origin + (since ?? of.clock.monotonic()),
    };
    return new RecordedSpan(of.tracer.startSpan(name, options, this.context), of, false);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  fail(error: unknown): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
  }

  end(): void {
    if (this.isRoot) this.of.isOver = true;
    this.span.end(this.of.origin + this.of.clock.monotonic());
  }
}

/** What is not recorded, with all of its steps; other programs learn that of the headers. */
class SilentSpan implements Span {
  readonly headers: Span['headers'];

  constructor(headers: Span['headers']) {
    this.headers = headers;
  }

  child(): Span {
    return this;
  }

  set(): void {
    // Nothing is recorded.
  }

  fail(): void {
    // Nothing is recorded.
  }

  end(): void {
    // Nothing is recorded.
  }
}
