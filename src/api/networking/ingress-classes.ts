/** IngressClass: the controller that implements ingresses of a class. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDns1123Subdomain,
  pathSegment,
} from '../validation/name-rules.ts';
import { given, need, obeys, same, unchanged } from '../validation/rules.ts';
import type { IngressClass as IngressClassFields, IngressClassParametersReference } from './v1.types.ts';

type IngressClass = Stored<IngressClassFields>;

const path = FieldPath.of('spec');
const controllerMaxLength = 250;
const domainPrefixed =
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const gate = 'IngressClassNamespacedParams';

function validate({ spec }: IngressClass, context: ApiContext): FieldError[] {
  return [
    ...need(spec?.controller, path.child('controller'), controllerErrors),
    ...given(spec?.parameters, path.child('parameters'), (parameters, at) => [
      ...validateParameters(parameters, at),
      ...(context.isFeatureEnabled(gate) ? scopeErrors(parameters, at) : []),
    ]),
  ];
}

function controllerErrors(controller: string, at: FieldPath): FieldError[] {
  if (controller.length > controllerMaxLength)
    return [invalid(at, controller, `must be no more than ${String(controllerMaxLength)} characters`)];
  return domainPrefixed.test(controller)
    ? []
    : [invalid(at, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
}

function validateParameters(parameters: IngressClassParametersReference, at: FieldPath): FieldError[] {
  return [
    ...given(parameters.apiGroup || undefined, at.child('apiGroup'), obeys(dns1123Subdomain)),
    ...need(parameters.kind, at.child('kind'), obeys(pathSegment)),
    ...need(parameters.name, at.child('name'), obeys(pathSegment)),
  ];
}

function scopeErrors({ scope, namespace }: IngressClassParametersReference, at: FieldPath): FieldError[] {
  const p = at.child('namespace');
  if (scope == null) return [required(at.child('scope'))];
  if (scope === 'Namespace') return need(namespace, p, obeys(dns1123Label));
  return namespace == null ? [] : [forbidden(p, `parameters.scope is set to '${scope}'`)];
}

/** Parameters in a namespace are behind their gate. */
function dropDisabled(next: IngressClass, current: IngressClass | undefined, context: ApiContext): void {
  const isUsed = current?.spec?.parameters?.scope != null || current?.spec?.parameters?.namespace != null;
  if (context.isFeatureEnabled(gate) || isUsed || !next.spec?.parameters) return;
  delete next.spec.parameters.scope;
  delete next.spec.parameters.namespace;
}

function parametersText({ spec }: IngressClass): string {
  if (spec?.parameters == null) return '<none>';
  const { apiGroup, kind = '', name = '' } = spec.parameters;
  return `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}`;
}

export const ingressClasses = defineResource<IngressClass>({
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.19',
      removedIn: '1.22',
      replacement: 'networking.{api}/v1 IngressClass',
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: (object, context) => {
      dropDisabled(object, undefined, context);
    },
    prepareForUpdate: dropDisabled,
    validate,
    validateUpdate: (next, current) =>
      unchanged(next.spec?.controller, current.spec?.controller, path.child('controller')),
  },
  columns: [
    nameColumn,
    column<IngressClass>('Controller', ({ spec }) => spec?.controller, { description: 'Who answers.' }),
    column<IngressClass>('Parameters', parametersText, { description: 'Object with further settings.' }),
    ageColumn,
  ],
});
