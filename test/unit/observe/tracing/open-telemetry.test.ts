/** Spans made by the SDK, as a collector gets them: sampling, parents, bounds. */
import fc from 'fast-check';
import { systemEnvironment } from '../../../../src/base/environment.ts';
import type { Span } from '../../../../src/base/span.ts';
import { createTracer } from '../../../../src/observe/tracing/open-telemetry.ts';
import type { RequestStart, Tracer } from '../../../../src/observe/tracing/tracer.ts';
import { TraceCollector, type CollectedSpan } from '../../../support/trace-collector.ts';

let collector: TraceCollector;
beforeAll(async () => {
  collector = await TraceCollector.start();
});
afterAll(() => collector[Symbol.asyncDispose]());
beforeEach(() => {
  collector.spans.length = 0;
});

/** What the collector has of the work, of so many of a million requests. */
async function collect(
  samplingRatePerMillion: number,
  work: (begin: (start?: Partial<RequestStart>) => Span) => void,
): Promise<readonly CollectedSpan[]> {
  const endpoint = `grpc://${collector.endpoint}`;
  const tracer: Tracer = createTracer(
    { endpoint, samplingRatePerMillion, trustsPrivileged: true },
    systemEnvironment,
    'one',
  );
  const usual = { name: 'GET', since: systemEnvironment.clock.monotonic(), attributes: () => ({}) };
  const none = { traceparent: '', tracestate: '', baggage: '', isTrusted: false };
  work((start) => tracer.begin({ ...usual, ...none, ...start }));
  await tracer.close();
  return collector.spans;
}

const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const sampled = `00-${trace}-${parent}-01`;

test('a trusted parent decides, an unknown client is only linked to', async () => {
  const headers: string[] = [];
  const spans = await collect(0, (begin) => {
    const span = begin({ traceparent: sampled, isTrusted: true, tracestate: 'a=b' });
    headers.push(JSON.stringify(span.headers));
    span.end();
    begin({ traceparent: sampled }).end();
    begin({ traceparent: `00-${trace}-${parent}-00`, isTrusted: true }).end();
  });
  expect(spans.map(({ traceId, parentId }) => [traceId, parentId])).toEqual([[trace, parent]]);
  expect(headers[0]).toMatch(new RegExp(`"traceparent":"00-${trace}-[0-9a-f]{16}-01","tracestate":"a=b"`));
});

test('at the whole rate every request is recorded', async () => {
  const spans = await collect(1_000_000, (begin) => {
    begin({ traceparent: sampled }).end();
    begin({ traceparent: `00-${trace}-${parent}-00`, isTrusted: true }).end();
  });
  expect(spans.map(({ traceId, links }) => [traceId === trace, links])).toEqual([[false, [trace]]]);
});

test('what is not recorded still says so to other programs', async () => {
  await collect(0, (begin) => {
    const span = begin();
    expect(span.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(span.child('step').headers).toEqual(span.headers);
    span.end();
  });
  expect(collector.spans).toEqual([]);
});

test.each([
  '',
  'x',
  `ff-${trace}-${parent}-01`,
  `00-${trace}-${parent}-01-more`,
  `00-${'0'.repeat(32)}-${parent}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${parent}-01`,
])('no parent: %s', async (traceparent) => {
  const spans = await collect(1_000_000, (begin) => begin({ traceparent, isTrusted: true }).end());
  expect(spans).toMatchObject([{ parentId: '', links: [] }]);
});

test('any header makes a request traced or not, and never fails', async () => {
  const tracer = createTracer(
    { endpoint: 'grpc://127.0.0.1:9', samplingRatePerMillion: 0, trustsPrivileged: true },
    systemEnvironment,
    'one',
  );
  const begin = (traceparent: string, tracestate: string): void => {
    const usual = { name: 'GET', since: 0, attributes: () => ({}), isTrusted: true };
    tracer.begin({ ...usual, traceparent, tracestate, baggage: tracestate }).end();
  };
  fc.assert(fc.property(fc.string(), fc.string(), begin));
  await tracer.close();
});

test('steps after the end of the request, and beyond the bound, are left out', async () => {
  const spans = await collect(1_000_000, (begin) => {
    const root = begin();
    for (let step = 0; step < 300; step += 1) root.child('step').end();
    const late = begin();
    late.end();
    late.child('after the end').end();
    root.end();
  });
  expect(spans.filter(({ name }) => name === 'step')).toHaveLength(256);
  expect(spans.filter(({ name }) => name === 'after the end')).toEqual([]);
});

test('long text is cut; of an error only its type is told', async () => {
  const spans = await collect(1_000_000, (begin) => {
    const span = begin({ attributes: () => ({ 'user_agent.original': 'x'.repeat(5_000) }) });
    span.fail(new RangeError('with the secret of an object'));
    span.end();
  });
  expect(spans[0]).toMatchObject({ isError: true, attributes: { 'error.type': 'RangeError' } });
  expect(String(spans[0]?.attributes['user_agent.original'])).toHaveLength(1_024);
  expect(JSON.stringify(spans)).not.toContain('secret');
});

test('a continued trace passes baggage on, also where it is not recorded; another one does not', async () => {
  const seen: (string | undefined)[] = [];
  await collect(0, (begin) => {
    const note = (span: Span): void => {
      seen.push(span.headers['baggage'], span.child('step').headers['baggage']);
      span.end();
    };
    const baggage = 'user=ann;p=1, k = v%20';
    note(begin({ traceparent: sampled, isTrusted: true, baggage }));
    note(begin({ traceparent: `00-${trace}-${parent}-00`, isTrusted: true, baggage }));
    note(begin({ traceparent: sampled, baggage }));
    note(begin({ traceparent: sampled, isTrusted: true, baggage: 'a'.repeat(8_193) }));
    note(begin({ traceparent: sampled, isTrusted: true, baggage: 'a=\u00e4' }));
  });
  const [passed, none] = ['user=ann;p=1, k = v%20', undefined];
  expect(seen).toEqual([passed, passed, passed, passed, none, none, none, none, none, none]);
});
