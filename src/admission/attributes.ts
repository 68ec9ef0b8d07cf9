/** Predicates on admission attributes that many plugins share. */
import type { AdmissionAttributes } from '../registry/types.ts';

/** The write is about this resource of the core group itself, or about that subresource of it. */
export function isAbout(attributes: AdmissionAttributes, resource: string, subresource = ''): boolean {
  return isAboutGroup(attributes, '', resource, subresource);
}

/** The same of any group. */
export function isAboutGroup(
  { scope }: AdmissionAttributes,
  group: string,
  resource: string,
  subresource = '',
): boolean {
  const { gvr } = scope.resource;
  return gvr.resource === resource && gvr.group === group && scope.subresource === subresource;
}

/** A write that makes an object of this core resource. */
export function isCreationOf(attributes: AdmissionAttributes, resource: string): boolean {
  return attributes.operation === 'CREATE' && isAbout(attributes, resource);
}

/** A write that creates or changes an object of this core resource, not one of its subresources. */
export function isWriteOf(attributes: AdmissionAttributes, resource: string): boolean {
  const { operation } = attributes;
  return (operation === 'CREATE' || operation === 'UPDATE') && isAbout(attributes, resource);
}
