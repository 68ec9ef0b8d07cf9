/** Where Services that webhooks name are: the Service of this API is this process, others by cluster IP or endpoint. */
import type { JsonObject } from '../../../src/base/json.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { asApiObject } from '../../../src/meta/object.ts';
import { serviceRouting, type RoutingConfig } from '../../../src/server/services/service-routing.ts';
import { locateService, type ServiceRouting } from '../../../src/webhook/service-location.ts';
import { createServiceResolver } from '../../../src/webhook/service-resolver.ts';

const ports = [{ name: 'https', port: 443 }];
const objects: Record<string, JsonObject> = {
  'core/services a/plain': { spec: { clusterIP: '10.0.0.7', ports } },
  'core/services a/headless': { spec: { clusterIP: 'None', ports } },
  'core/services a/outside': { spec: { type: 'ExternalName', externalName: 'example.com' } },
  'core/services default/kubernetes': { spec: { clusterIP: '10.0.0.1', ports } },
  'core/endpoints a/plain': {
    subsets: [
      {
        addresses: [{ ip: '192.0.2.1' }],
        notReadyAddresses: [{ ip: '192.0.2.9' }],
        ports: [{ name: 'https', port: 8443 }],
      },
    ],
  },
};
const reader = {
  peek: (collection: string, key: string) => {
    const object = objects[`${collection} ${key}`];
    return object && asApiObject({ metadata: {}, ...object });
  },
};

const config: RoutingConfig = {
  ...{ naming: 'kubernetes', bindAddress: '0.0.0.0', securePort: 6443 },
  aggregation: { routesToEndpoints: false },
};

function resolved(routing: ServiceRouting, name: string, port = 443): string {
  const [namespace = '', service = ''] = name.split('/');
  try {
    const { host, port: at } = createServiceResolver(
      reader,
      routing,
      systemRandom,
    )({ namespace, name: service, port });
    return `${host} ${String(at)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const endpoints: RoutingConfig = { ...config, aggregation: { routesToEndpoints: true } };

test.each<[RoutingConfig, string, string]>([
  [config, 'a/plain', '10.0.0.7 443'],
  [config, 'a/headless', 'headless.a.svc 443'],
  [config, 'a/outside', 'example.com 443'],
  [config, 'a/absent', 'absent.a.svc 443'],
  [config, 'default/kubernetes', '127.0.0.1 6443'],
  [{ ...config, bindAddress: '::' }, 'default/kubernetes', '::1 6443'],
  [{ ...config, bindAddress: '192.0.2.7' }, 'default/kubernetes', '192.0.2.7 6443'],
  [{ ...config, naming: 'orch' }, 'default/kubernetes', '10.0.0.1 443'],
  [{ ...config, naming: 'orch' }, 'default/orch', '127.0.0.1 6443'],
  [{ ...config, securePort: 0 }, 'default/kubernetes', '10.0.0.1 443'],
  [endpoints, 'a/plain', '192.0.2.1 8443'],
  [endpoints, 'a/headless', 'endpoints "headless" not found'],
  [endpoints, 'a/outside', 'example.com 443'],
  [endpoints, 'default/kubernetes', '127.0.0.1 6443'],
])('%j: %s is at %s', (how, name, where) => {
  expect(resolved(serviceRouting(how), name)).toBe(where);
});

test('another port of the Service is not this process, and for APIServices the same holds', () => {
  expect(resolved(serviceRouting(config), 'default/kubernetes', 444)).toBe(
    'no service port 444 found for service "kubernetes"',
  );
  const locate = locateService(reader, serviceRouting(config), systemRandom);
  expect(locate({ namespace: 'default', name: 'kubernetes', port: 443 })).toEqual({
    host: '127.0.0.1',
    port: 6443,
  });
  expect(locate({ namespace: 'a', name: 'plain', port: 443 })).toEqual({ host: '10.0.0.7', port: 443 });
});
