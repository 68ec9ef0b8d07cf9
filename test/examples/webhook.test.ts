/** An admission webhook, developed against a control plane: pods of unknown registries are refused. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import type { V1Pod } from '@kubernetes/client-node';
import { startControlPlane, type ControlPlane } from 'orch-apiserver/testing';

interface AdmissionReview {
  readonly request: { readonly uid: string; readonly object: V1Pod };
}

function answer({ request: { uid, object } }: AdmissionReview): object {
  const images = object.spec?.containers.map(({ image }) => image ?? '') ?? [];
  const stranger = images.find((image) => !image.startsWith('registry.test/'));
  const message = `${String(stranger)} is not of registry.test`;
  const response = {
    uid,
    allowed: stranger === undefined,
    ...(stranger !== undefined && { status: { message } }),
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

let controlPlane: ControlPlane;
let webhook: Server;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  const { cert, key, ca } = controlPlane.loopbackTls;
  webhook = createServer({ cert, key }, (request, response) => {
    void json(request).then((review) => response.end(JSON.stringify(answer(review as AdmissionReview))));
  });
  await once(webhook.listen(0, '127.0.0.1'), 'listening');
  const { port } = webhook.address() as AddressInfo;
  const clientConfig = {
    url: `https://127.0.0.1:${String(port)}/`,
    caBundle: Buffer.from(ca).toString('base64'),
  };
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  await controlPlane.admin.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'registries' },
    webhooks: [
      {
        name: 'registries.shop.test',
        clientConfig,
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
});

afterAll(async () => {
  await controlPlane.stop();
  webhook.close();
});

const pod = (image: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'web', image }] },
});

test('a pod of the registry is created, one of another is refused with the reason', async () => {
  const refused =
    'admission webhook "registries.shop.test" denied the request: nginx is not of registry.test';
  await expect(controlPlane.admin.create(pod('nginx'))).rejects.toThrow(refused);
  expect(await controlPlane.admin.create(pod('registry.test/nginx'))).toMatchObject({ kind: 'Pod' });
});
