/** Calls of conversion webhooks and the signals that end them. */
import { getEventListeners } from 'node:events';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { unlessAborted } from '../../../src/base/pause.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import {
  WebhookConversion,
  type ConversionCalls,
} from '../../../src/extension/custom-resources/webhook-conversion.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { HistogramFamily } from '../../../src/observe/metric-series.ts';

const object: JsonObject = { apiVersion: 'x.test/v1', kind: 'Thing', metadata: { name: 'a' } };
const conversion = {
  strategy: 'Webhook',
  webhook: { clientConfig: { url: 'https://hook.test/' }, conversionReviewVersions: ['v1'] },
};

function converting(sendReview: ConversionCalls['sendReview']): {
  readonly convert: (signal: AbortSignal) => Promise<JsonObject[]>;
  readonly life: AbortController;
} {
  const life = new AbortController();
  const duration = new HistogramFamily({ name: 'd', help: '', labelNames: [], bounds: [1] });
  const calls = { ...systemEnvironment, sendReview, signal: life.signal, duration };
  const parts = { naming: namingProfiles.orch, calls };
  const webhook = new WebhookConversion('things.x.test', conversion, parts);
  return { convert: (signal) => webhook.convert([object], 'x.test/v2', signal), life };
}

test('calls leave nothing with the signal that outlives them', async () => {
  const any = jest.spyOn(AbortSignal, 'any');
  const { convert, life } = converting((_endpoint, review) => {
    const { uid } = review['request'] as { uid: string };
    const response = {
      uid,
      result: { status: 'Success' },
      convertedObjects: [{ ...object, apiVersion: 'x.test/v2' }],
    };
    return Promise.resolve({ ...review, response });
  });
  const request = new AbortController();
  for (let i = 0; i < 3; i += 1) expect(await convert(request.signal)).toHaveLength(1);
  for (const { signal } of [life, request]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  // It makes a signal look at all that depend on it for each that was collected.
  expect(any).not.toHaveBeenCalled();
  any.mockRestore();
});

test.each(['the request', 'all calls'])('a call ends with %s', async (which) => {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<undefined>();
  const { convert, life } = converting((_endpoint, _review, { signal }) => {
    isAsked(undefined);
    return unlessAborted(new Promise<never>(() => undefined), signal);
  });
  const request = new AbortController();
  const converted = convert(request.signal);
  await asked;
  (which === 'the request' ? request : life).abort(new Error('it ended'));
  await expect(converted).rejects.toThrow('it ended');
});
