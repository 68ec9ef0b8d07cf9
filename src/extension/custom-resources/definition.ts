/** A CustomResourceDefinition as it is stored, and the words in which the rest of this room asks about it. */
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import { isTrue } from '../../api/apiextensions/conditions.ts';
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../api/apiextensions/v1.types.ts';
import { entryObject } from '../../registry/entry.ts';
import { memoized } from '../../registry/memo.ts';
import type { Entry } from '../../storage/types.ts';

export type Names = CustomResourceDefinitionNames;
export type Version = CustomResourceDefinitionVersion;

/** The definition of an entry; parsed once per revision and not to be changed. */
export const definitionOf: (entry: Entry) => CustomResourceDefinition = memoized(
  (entry) => entryObject(entry) as CustomResourceDefinition,
);

export function nameOf({ metadata }: CustomResourceDefinition): string {
  return metadata.name ?? '';
}

export function specOf({ spec }: CustomResourceDefinition): CustomResourceDefinitionSpec {
  return spec ?? {};
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

/** Definitions come one after the other: who was there first has the older right to a name. */
export function byAge(a: CustomResourceDefinition, b: CustomResourceDefinition): number {
  const [first, second] = [a, b].map((d) => `${d.metadata.creationTimestamp ?? ''} ${nameOf(d)}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
