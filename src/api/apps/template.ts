/** What kinds that keep pods of a template have in common: defaults, gates and the rules of template and selector. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ColumnDefinition } from '../types.ts';
import { wideColumn } from '../columns/columns.ts';
import { applyPodSpecDefaults } from '../core/pod/pod-defaults.ts';
import { dropDisabledFields } from '../core/pod/gates.ts';
import { validatePodTemplate } from '../core/pod/pod-spec.ts';
import type { PodRights } from '../core/pod/privileged.ts';
import { containerImages, containerNames } from '../core/pod/template-columns.ts';
import type { PodTemplateSpec } from '../core/v1.types.ts';
import type { LabelSelector } from '../meta/v1.types.ts';
import { selectorCell } from '../selector-text.ts';
import type { ApiContext } from '../types.ts';
import { isEmptySelector, validateLabelSelector } from '../validation/validate-label-selector.ts';
import { parseObjectSelector } from '../validation/object-selector.ts';
import type { Maybe } from '../validation/rules.ts';

/** A kind with a template and a selector in its spec. */
export type Templated = ApiObject & {
  spec?: { template?: Maybe<PodTemplateSpec>; selector?: Maybe<LabelSelector> } | undefined;
};

export function applyTemplateDefaults(object: ApiObject, context: ApiContext): void {
  const template = (object as Templated).spec?.template;
  if (template?.spec) applyPodSpecDefaults(template.spec, context);
}

/** Labels of the template serve as selector and as labels of the object where those are missing (older versions). */
export function applyLabelDefaults(object: ApiObject, context: ApiContext): void {
  applyTemplateDefaults(object, context);
  const { metadata, spec } = object as Templated;
  const labels = spec?.template?.metadata?.labels;
  if (!spec || !labels || Object.keys(labels).length === 0) return;
  spec.selector ??= { matchLabels: { ...labels } };
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

/** Fields of the template behind gates that are off are dropped, unless the stored object has them. */
export function dropDisabledTemplateFields(
  next: Templated,
  current: Templated | undefined,
  context: ApiContext,
): void {
  if (next.spec?.template?.spec) {
    dropDisabledFields(next.spec.template.spec, current?.spec?.template?.spec ?? undefined, context);
  }
}

/** A selector that must be there and select something. */
export function validateSetSelector(
  selector: Maybe<LabelSelector>,
  path: FieldPath,
  kind: string,
): FieldError[] {
  if (selector == null) return [required(path)];
  return [
    ...validateLabelSelector(selector, path),
    ...(isEmptySelector(selector) ? [invalid(path, selector, `empty selector is invalid for ${kind}`)] : []),
  ];
}

/** The template's pods are those that the selector chooses, they always restart and run without a deadline. */
export function validateSetTemplate(
  template: Maybe<PodTemplateSpec>,
  selector: Maybe<LabelSelector>,
  path: FieldPath,
  rights: PodRights,
): FieldError[] {
  const spec = path.child('spec');
  const policy = template?.spec?.restartPolicy ?? '';
  return [
    ...labelErrors(template, selector, path),
    ...validatePodTemplate(template ?? {}, path, rights),
    ...(policy === 'Always' ? [] : [notSupported(spec.child('restartPolicy'), policy, ['Always'])]),
    ...(template?.spec?.activeDeadlineSeconds == null
      ? []
      : [forbidden(spec.child('activeDeadlineSeconds'), 'a set of pods that always run has no deadline')]),
  ];
}

function labelErrors(
  template: Maybe<PodTemplateSpec>,
  selector: Maybe<LabelSelector>,
  path: FieldPath,
): FieldError[] {
  const labels = template?.metadata?.labels ?? {};
  const matches = parseObjectSelector(selector);
  return isEmptySelector(selector) || matches?.(labels) !== false
    ? []
    : [
        invalid(
          path.child('metadata').child('labels'),
          labels,
          '`selector` does not match template `labels`',
        ),
      ];
}

type Owner = Templated;

/** Containers and images of the template, in the wide table. */
export const templateColumns: readonly ColumnDefinition[] = [
  wideColumn<Owner>('Containers', ({ spec }) => containerNames(spec?.template), 'Containers of a pod.'),
  wideColumn<Owner>('Images', ({ spec }) => containerImages(spec?.template), 'Images of the containers.'),
];

export const selectorColumn: ColumnDefinition = wideColumn<Owner>(
  'Selector',
  ({ spec }) => selectorCell(spec?.selector),
  'Labels of its pods.',
);
