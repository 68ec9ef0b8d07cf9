/** Names of a custom resource. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, tooMany } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { dns1035Label } from '../validation/name-rules.ts';
import { each, invalidEach, given, need, obeys } from '../validation/rules.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionNames as Names } from './v1.types.ts';

const label = obeys(dns1035Label);

/**
 * Short names, and categories: each is in discovery, and short names are compared with those of all other definitions of
 * the group. The reference has no such limit.
 */
const mostNames = 1_000;

/** A definition with too many, stored by others, may lose some of them. @param before undefined for a new one */
export function namesCountErrors(
  { spec }: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
  path: FieldPath,
): FieldError[] {
  return (['shortNames', 'categories'] as const).flatMap((field) => {
    const count = spec?.names?.[field]?.length ?? 0;
    const most = Math.max(mostNames, before?.spec?.names?.[field]?.length ?? 0);
    return count > most ? [tooMany(path.child(field), count, mostNames)] : [];
  });
}

export function namesErrors(names: Names, path: FieldPath): FieldError[] {
  const { kind = '', listKind = '' } = names;
  return [
    ...need(names.plural, path.child('plural'), label),
    ...given(names.singular || undefined, path.child('singular'), label),
    ...need(kind, path.child('kind'), kindLabel),
    ...given(listKind || undefined, path.child('listKind'), kindLabel),
    ...each(names.shortNames, path.child('shortNames'), label),
    ...each(names.categories, path.child('categories'), label),
    ...(kind !== '' && kind === listKind
      ? [invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
  ];
}

/** Kinds are written in CamelCase, otherwise as the other names. */
function kindLabel(kind: string, path: FieldPath): FieldError[] {
  const messages = dns1035Label(kind.toLowerCase());
  return invalidEach(
    kind,
    path,
    messages.map((message) => `may have mixed case, but should otherwise match: ${message}`),
  );
}
