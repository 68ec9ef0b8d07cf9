/** DefaultIngressClass: ingresses that name no class, in either way, get the default one. */
import type { Ingress as IngressFields } from '../api/networking/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { isAboutGroup } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { createDefaultClass } from './default-class.ts';
import type { ObjectReader } from './object-reader.ts';

export function createDefaultIngressClass(reader: ObjectReader, naming: NamingProfile): AdmissionPlugin {
  const group = `networking.${naming.apiDomain}`;
  const annotations = [`ingressclass.${naming.labelDomain}/is-default-class`];
  const collection = `${group}/ingressclasses`;
  const defaultClass = createDefaultClass(reader, { collection, annotations, plural: 'IngressClasses' });
  return {
    name: 'DefaultIngressClass',
    admit(attributes): MaybePromise<void> {
      const isIngress = [group, 'extensions'].some((g) => isAboutGroup(attributes, g, 'ingresses'));
      if (attributes.operation !== 'CREATE' || !isIngress) return;
      const { metadata, spec = {} } = attributes.object as Stored<IngressFields>;
      const older = metadata.annotations?.[`${naming.labelDomain}/ingress.class`];
      if (spec.ingressClassName !== undefined || older !== undefined) return;
      return whenReady(defaultClass(attributes), (name) => {
        if (name !== undefined) spec.ingressClassName = name;
      });
    },
  };
}
