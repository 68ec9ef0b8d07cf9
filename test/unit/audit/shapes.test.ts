/** Events in other versions and forms, and events that are cut. */
import fc from 'fast-check';
import { auditLine } from '../../../src/audit/audit-event.ts';
import { inVersion } from '../../../src/audit/event-versions.ts';
import { legacyLine } from '../../../src/audit/legacy-line.ts';
import { TransformingBackend } from '../../../src/audit/transforming-backend.ts';
import { truncated } from '../../../src/audit/truncation.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';

const group = 'audit.orch.io';
const event = {
  kind: 'Event',
  apiVersion: `${group}/v1`,
  level: 'RequestResponse',
  auditID: 'one',
  stage: 'ResponseComplete',
  requestURI: '/apis/apps/v1/namespaces/web/deployments',
  verb: 'create',
  user: { username: 'ann', groups: ['devs', 'system:authenticated'] },
  sourceIPs: ['10.0.0.1', '127.0.0.1'],
  userAgent: 'kubectl "x"\nAUDIT: id="two"',
  objectRef: { resource: 'deployments', namespace: 'web', apiGroup: 'apps', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 201 },
  requestObject: { spec: 'ö'.repeat(50) },
  responseObject: { spec: 'ö'.repeat(50), status: {} },
  requestReceivedTimestamp: '2026-01-02T03:04:05.678901Z',
  stageTimestamp: '2026-01-02T03:04:05.700000Z',
  annotations: { why: 'so' },
};
const line = JSON.stringify(event);

test('long names in objectRef are shortened', () => {
  const long = 'x'.repeat(1_000_000);
  const metadata = { name: long, namespace: long, uid: long, resourceVersion: long };
  const info = {
    ...{ isResourceRequest: true, path: '/api/v1/pods', verb: 'create', apiPrefix: 'api', apiGroup: '' },
    ...{ apiVersion: 'v1', namespace: '', resource: 'pods', subresource: '', name: '', parts: ['pods'] },
  };
  const told = auditLine(
    {
      ...{ level: 'Metadata', stage: 'ResponseComplete', auditId: 'one', requestUri: info.path, info },
      ...{
        user: undefined,
        impersonated: undefined,
        impersonationConstraint: '',
        sourceIps: [],
        userAgent: '',
      },
      ...{ requestObject: { metadata }, responseObject: undefined, response: undefined },
      ...{ receivedAt: 0, stageAt: 0, annotations: undefined },
    },
    namingProfiles.orch,
  );
  expect(told).toContain('"name":"xxx');
  expect(told.length).toBeLessThan(3_000);
});

test('v1 is how events are made', () => {
  expect(inVersion(line, group, 'v1')).toBe(line);
});

test('older versions have the time that there was', () => {
  const time = '2026-01-02T03:04:05Z';
  expect(JSON.parse(inVersion(line, group, 'v1beta1'))).toEqual({
    ...event,
    apiVersion: 'audit.orch.io/v1beta1',
    metadata: { creationTimestamp: time },
    timestamp: time,
  });
});

test('v1alpha1 refers to objects by group and version in one', () => {
  expect(JSON.parse(inVersion(line, group, 'v1alpha1'))).toMatchObject({
    apiVersion: 'audit.orch.io/v1alpha1',
    objectRef: { resource: 'deployments', namespace: 'web', apiVersion: 'apps/v1' },
  });
  const core = JSON.stringify({ ...event, objectRef: { resource: 'pods', apiVersion: 'v1' } });
  expect(JSON.parse(inVersion(core, group, 'v1alpha1'))).toHaveProperty('objectRef', {
    resource: 'pods',
    apiVersion: 'v1',
  });
});

test('words: one line, whatever a client says of itself', () => {
  expect(legacyLine(line)).toBe(
    '2026-01-02T03:04:05.678901Z AUDIT: id="one" stage="ResponseComplete" ip="10.0.0.1" method="create" user="ann" ' +
      'groups="devs","system:authenticated" as="<self>" asgroups="<lookup>" ' +
      'user-agent="kubectl \\"x\\"\\nAUDIT: id=\\"two\\"" namespace="web" ' +
      'uri="/apis/apps/v1/namespaces/web/deployments" response="201"',
  );
  const early = { auditID: 'two', user: {}, impersonatedUser: { username: 'eve', groups: ['a'] } };
  expect(legacyLine(JSON.stringify(early))).toContain(
    'user="<none>" groups="<none>" as="eve" asgroups="a" user-agent="" namespace="<none>" uri="" response="<deferred>"',
  );
});

test('an event within its bytes is what it was; one beyond has no bodies and says so', () => {
  expect(truncated(line, group, Buffer.byteLength(line))).toBe(line);
  const { requestObject: _sent, responseObject: _answered, ...rest } = event;
  const shorter = truncated(line, group, Buffer.byteLength(line) - 1) ?? '';
  expect(JSON.parse(shorter)).toEqual({
    ...rest,
    annotations: { why: 'so', 'audit.orch.io/truncated': 'true' },
  });
  expect(truncated(line, group, 100)).toBeUndefined();
  expect(truncated(JSON.stringify(rest), group, 100)).toBeUndefined();
});

describe('bodies are not parsed: they may be megabytes of short members', () => {
  const body = `{ "a": [${'[],'.repeat(1_000)}{}], "annotations":{}, "b\\"],{\\\\": "\\"}]" }`;
  const { requestObject: _sent, responseObject: _answered, ...others } = event;
  const large = `${JSON.stringify({ requestObject: 0, ...others })
    .replace('0', body)
    .slice(0, -1)},"responseObject":${body}}`;

  test.each([
    [
      'of an older version',
      () => inVersion(large, group, 'v1beta1'),
      { requestObject: JSON.parse(body) as unknown },
    ],
    ['cut', () => truncated(large, group, 2_000) ?? '', { user: event.user }],
    ['in words', () => JSON.stringify(legacyLine(large)), undefined],
  ] as const)('%s', (_name, form, expected) => {
    const parse = jest.spyOn(JSON, 'parse');
    const made = form();
    const lengths = parse.mock.calls.map(([text]) => text.length);
    parse.mockRestore();
    expect(Math.max(...lengths)).toBeLessThan(body.length);
    if (expected) expect(JSON.parse(made)).toMatchObject(expected);
  });
});

test('never more bytes than may be', () => {
  fc.assert(
    fc.property(fc.json(), fc.string({ unit: 'grapheme' }), fc.nat(400), (body, agent, most) => {
      const one = JSON.stringify({
        auditID: 'x',
        userAgent: agent,
        requestObject: JSON.parse(body) as unknown,
      });
      const cut = truncated(one, group, most);
      expect(Buffer.byteLength(cut ?? '')).toBeLessThanOrEqual(most);
      if (cut !== undefined) expect(JSON.parse(cut)).toMatchObject({ auditID: 'x', userAgent: agent });
    }),
  );
});

test('events without a form in that version are dropped and reported', async () => {
  const taken: string[] = [];
  const lost: number[] = [];
  const inner = {
    name: 'log',
    take: (text: string) => void taken.push(text),
    close: () => Promise.resolve(),
  };
  const transform = (text: string): string | undefined => (text === 'b' ? undefined : text.toUpperCase());
  const sink = new TransformingBackend(inner, { transform, lost: (events) => void lost.push(events) });
  expect(sink.name).toBe('log');
  void sink.take('a');
  await expect(sink.take('b')).rejects.toThrow('too large');
  expect([taken, lost]).toEqual([['A'], [1]]);
});
