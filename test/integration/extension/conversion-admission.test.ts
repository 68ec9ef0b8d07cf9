/** Admission webhooks whose rules name another version of a custom resource than the write's: objects are converted for them. */
import { waitFor } from '../../support/wait-for.ts';
import {
  answering,
  converted,
  endpoint,
  endpointDefinition,
  pathOf,
  startConverting,
} from './conversion-support.ts';
import { establish } from '../../support/custom-resources.ts';

test('they see the version of their rules, and what they change comes back in the version of the write', async () => {
  await using setup = await startConverting();
  const { admin } = setup.one;
  const { server, caBundle } = setup;
  await establish(admin, endpointDefinition(setup, 'judgeds', 'Judged'));
  const seen: unknown[] = [];
  server.answer = (call) => {
    if (!call.path.startsWith('/admit')) return answering(converted)(call);
    const { uid, object } = call.body['request'] as { uid: string; object: { spec: unknown } };
    seen.push(object.spec);
    const patch = [{ op: 'replace', path: '/spec/port', value: 99 }];
    const response = {
      ...{ uid, allowed: true, patchType: 'JSONPatch' },
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
    return { body: { apiVersion: 'admission.orch.io/v1', kind: 'AdmissionReview', response } };
  };
  const rule = { apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['judgeds'] };
  const webhook = {
    name: 'judge.example.com',
    clientConfig: { url: `${server.url}/admit`, caBundle },
    rules: [{ ...rule, operations: ['CREATE'] }],
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], matchPolicy: 'Equivalent' },
  };
  const configurations = '/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations';
  await admin.ok('POST', configurations, { metadata: { name: 'judge' }, webhooks: [webhook] });
  const made = await waitFor('the webhook is asked', async () => {
    const name = `a${String(Date.now())}`;
    const object = await admin.ok('POST', pathOf('v2', 'judgeds'), endpoint('Judged', name, 'v2'));
    return seen.length > 0 ? object : undefined;
  });
  expect(seen[0]).toEqual({ host: 'a', port: 1 });
  expect(made).toMatchObject({
    apiVersion: 'example.com/v2',
    spec: { address: 'a:99', tier: 'gold' },
  });
}, 60_000);
