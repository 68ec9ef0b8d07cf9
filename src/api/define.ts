/** How a resource file states its definition: what is usual is filled in, what is special is said. */
import type { FieldError } from '../meta/field-error.ts';
import type { ApiObject } from '../meta/object.ts';
import { podAddresses } from './core/pod/pod-addresses.ts';
import { podWarnings, type PodPart } from './core/pod/pod-warnings.ts';
import { same } from './validation/rules.ts';
import { addressWarnings, strictAddressErrors, type AddressField } from './validation/address-fields.ts';
import type { ApiContext, ResourceDefinition, Strategy, SubresourceDefinition } from './types.ts';
import { allVerbs } from './types.ts';

/** An object of a generated type as hooks see it: its envelope was checked. */
export type Stored<T> = ApiObject & Omit<T, 'apiVersion' | 'kind' | 'metadata'>;

type OptionalStrategyPart = 'createOnUpdate' | 'unconditionalUpdate' | 'deleteReturns' | 'defaultPropagation';
type OptionalPart =
  'shortNames' | 'categories' | 'verbs' | 'storageVersion' | 'subresources' | 'selectableFields' | 'strategy';

/** A strategy in parts: `validate` for every write, `validateCreate` and `validateUpdate` what each has beside it. */
export type StrategyParts<T extends ApiObject> = Omit<Strategy<T>, OptionalStrategyPart> &
  Partial<Pick<Strategy<T>, OptionalStrategyPart>> & {
    readonly validateCreate?: (object: T, context: ApiContext) => FieldError[];
    /** True when an update leaves everything alone that `validate` looks at: what is stored has been judged. */
    readonly canSkipValidation?: (next: T, current: T, context: ApiContext) => boolean;
    /** The pod that it is or makes, which clients are warned of. Absent: none. */
    readonly podOf?: (object: T) => PodPart;
    /** Its fields with addresses that are older than the strict form. Absent: none. */
    readonly addresses?: (object: T) => readonly AddressField[];
  };

export type ResourceParts<T extends ApiObject> = Omit<ResourceDefinition<T>, OptionalPart> &
  Partial<Pick<ResourceDefinition<T>, Exclude<OptionalPart, 'strategy'>>> & {
    readonly strategy?: StrategyParts<T>;
  };

/**
 * Completes a definition: all verbs, stored as its first version, updates without resourceVersion, dependents
 * deleted in the background, a Status as answer of DELETE; an update is judged by the rules of a create and its own.
 */
export function defineResource<T extends ApiObject>(parts: ResourceParts<T>): ResourceDefinition {
  const definition: ResourceDefinition<T> = {
    shortNames: [],
    categories: [],
    verbs: allVerbs,
    storageVersion: parts.versions[0]?.version ?? '',
    subresources: [],
    selectableFields: {},
    ...parts,
    strategy: completeStrategy(parts.strategy ?? {}),
  };
  return definition as unknown as ResourceDefinition;
}

function completeStrategy<T extends ApiObject>(parts: StrategyParts<T>): Strategy<T> {
  const { validate = noErrors, validateCreate = noErrors, validateUpdate = noErrors, ...others } = parts;
  const { canSkipValidation = never, warnings = noWarnings, podOf, ...more } = others;
  const { addresses = podOf ? (object: T) => podAddresses(podOf(object)) : noAddresses, ...rest } = more;
  return {
    createOnUpdate: false,
    unconditionalUpdate: true,
    deleteReturns: 'status',
    defaultPropagation: 'Background',
    ...rest,
    validate: (object, context) => [
      ...validate(object, context),
      ...validateCreate(object, context),
      ...strictAddressErrors(addresses(object), [], context),
    ],
    validateUpdate: (next, current, context) => [
      ...(canSkipValidation(next, current, context) ? [] : validate(next, context)),
      ...validateUpdate(next, current, context),
      ...strictAddressErrors(addresses(next), addresses(current), context),
    ],
    warnings: (object, context, before) => {
      const pod = podOf?.(object);
      if (pod && before && (pod.isPod || same(pod.spec, podOf?.(before).spec)))
        return warnings(object, context, before);
      return [
        ...warnings(object, context, before),
        ...(pod ? podWarnings(pod, context) : []),
        ...addressWarnings(addresses(object), context),
      ];
    },
  };
}

function noErrors(): FieldError[] {
  return [];
}

function noAddresses(): AddressField[] {
  return [];
}

function noWarnings(): string[] {
  return [];
}

function never(): boolean {
  return false;
}

/** What a write to the main resource leaves alone: the status of the stored object stays. */
export function keepStatus(next: ApiObject, current: ApiObject): void {
  keepField(next, current, 'status');
}

/** What a write to the status subresource leaves alone. */
export function keepSpec(next: ApiObject, current: ApiObject): void {
  keepField(next, current, 'spec');
}

/** A top-level field takes the stored value, or goes when there is none. */
export function keepField(next: ApiObject, current: ApiObject, field: string): void {
  if (current[field] === undefined) Reflect.deleteProperty(next, field);
  else next[field] = current[field];
}

/** Drops what a client may not state at creation. */
export function dropStatus(object: ApiObject): void {
  Reflect.deleteProperty(object, 'status');
}

/** Keeps all metadata but what the server itself maintains at every write. */
export function keepMetadata(next: ApiObject, current: ApiObject): void {
  const { resourceVersion, managedFields } = next.metadata;
  next.metadata = {
    ...current.metadata,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(managedFields !== undefined && { managedFields }),
  };
}

/** What a write to the status subresource leaves alone where the status is that of a program, which changes nothing else. */
export function keepAllButStatus(next: ApiObject, current: ApiObject): void {
  keepSpec(next, current);
  keepMetadata(next, current);
}

/** The status subresource of a kind; `addresses` are those of the status. */
export function statusSubresource<T extends ApiObject>(
  parts: Partial<Pick<SubresourceDefinition<T>, 'prepareForUpdate' | 'validateUpdate'>> & {
    readonly addresses?: (object: T) => readonly AddressField[];
  } = {},
): SubresourceDefinition<T> {
  const { addresses = noAddresses, validateUpdate = noErrors, ...others } = parts;
  return {
    name: 'status',
    verbs: ['get', 'patch', 'update'],
    type: 'object',
    prepareForUpdate: keepSpec,
    ...others,
    validateUpdate: (next, current, context) => [
      ...validateUpdate(next, current, context),
      ...strictAddressErrors(addresses(next), addresses(current), context),
    ],
  };
}
