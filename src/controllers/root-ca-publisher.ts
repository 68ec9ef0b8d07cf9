/** Every namespace has a ConfigMap with the authority that its pods trust the service by. */
import { configMaps } from './core-resources.ts';
import { createPerNamespaceController } from './per-namespace.ts';
import type { Controller, ControllerContext } from './types.ts';

export interface RootCaPublisherOptions extends ControllerContext {
  readonly configMapName: string;
  /** PEM. */
  readonly rootCa: string;
}

export function createRootCaPublisher({
  rootCa,
  configMapName,
  ...frame
}: RootCaPublisherOptions): Controller {
  return createPerNamespaceController({
    ...frame,
    name: 'root-ca-cert-publisher',
    resource: configMaps,
    objectName: configMapName,
    content: { data: { 'ca.crt': rootCa } },
    isRight: (object) => {
      const data = (object['data'] ?? {}) as Record<string, string>;
      return data['ca.crt'] === rootCa && Object.keys(data).length === 1;
    },
  });
}
