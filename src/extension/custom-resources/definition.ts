/** The stored CustomResourceDefinition and helpers to read it. */
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import { isTrue } from '../../api/apiextensions/definition-conditions.ts';
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../api/apiextensions/v1.types.ts';
import type { Entry } from '../../storage/types.ts';
import { headOf } from './definition-head.ts';

export type Names = CustomResourceDefinitionNames;
export type Version = CustomResourceDefinitionVersion;

/** The definition of an entry without its schemas; parsed once per revision, immutable. */
export function definitionOf(entry: Entry): CustomResourceDefinition {
  return headOf(entry).definition;
}

export function nameOf({ metadata }: CustomResourceDefinition): string {
  return metadata.name ?? '';
}

export function specOf({ spec }: CustomResourceDefinition): CustomResourceDefinitionSpec {
  return spec ?? {};
}

export function groupOf(definition: CustomResourceDefinition): string {
  return specOf(definition).group ?? '';
}

export function versionsOf(definition: CustomResourceDefinition): readonly Version[] {
  return specOf(definition).versions ?? [];
}

export function acceptedNames({ status }: CustomResourceDefinition): Names {
  return status?.acceptedNames ?? {};
}

export function isEstablished({ status }: CustomResourceDefinition): boolean {
  return isTrue(status?.conditions, 'Established');
}

export function isTerminating({ metadata }: CustomResourceDefinition): boolean {
  return metadata.deletionTimestamp != null;
}

/** Sorts definitions by creation: the older one has precedence for a name. */
export function inOrderOfAge(definitions: readonly CustomResourceDefinition[]): CustomResourceDefinition[] {
  const aged = definitions.map((definition) => {
    const age = `${definition.metadata.creationTimestamp ?? ''} ${nameOf(definition)}`;
    return { age, definition };
  });
  return aged.sort((a, b) => (a.age < b.age ? -1 : 1)).map(({ definition }) => definition);
}
