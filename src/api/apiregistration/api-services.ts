/** APIService: which server answers for a group version; without a service it is this one. */
import { quoted } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { formatSeconds } from '../../meta/time.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepAllButStatus, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { validateConditions } from '../validation/validate-conditions.ts';
import { dns1035Label, dns1123Subdomain, nameIsPathSegment } from '../validation/name-rules.ts';
import { portNumber } from '../validation/net.ts';
import { invalidEach, given, need } from '../validation/rules.ts';
import type { APIService as APIServiceFields, APIServiceSpec } from './v1.types.ts';

type APIService = Stored<APIServiceFields>;

const path = FieldPath.of('spec');
const maxGroupPriority = 20000;
const maxVersionPriority = 1000;

function prepareForCreate(service: APIService, context: ApiContext): void {
  dropStatus(service);
  if (service.spec?.service == null) service.status = { conditions: [locallyAvailable(context.now())] };
}

/** What this server answers itself is there at once. */
function locallyAvailable(now: Date): Record<string, string> {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatSeconds(now),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function validate(service: APIService): FieldError[] {
  const spec = service.spec ?? {};
  return [
    ...nameErrors(service, spec),
    ...versionErrors(spec),
    ...priorityErrors(spec),
    ...connectionErrors(spec),
  ];
}

function nameErrors(service: APIService, spec: APIServiceSpec): FieldError[] {
  const name = service.metadata.name ?? '';
  const expected = `${spec.version ?? ''}.${spec.group ?? ''}`;
  return name === expected
    ? []
    : [
        invalid(
          FieldPath.of('metadata').child('name'),
          name,
          `must be \`spec.version+"."+spec.group\`: ${quoted(expected)}`,
        ),
      ];
}

function versionErrors(spec: APIServiceSpec): FieldError[] {
  const group = spec.group ?? '';
  const version = spec.version ?? '';
  const groupErrors =
    group === '' && version !== 'v1'
      ? [required(path.child('group'), 'only version v1 may have an empty group')]
      : group === ''
        ? []
        : invalidEach(group, path.child('group'), dns1123Subdomain(group));
  return [...groupErrors, ...invalidEach(version, path.child('version'), dns1035Label(version))];
}

function priorityErrors(spec: APIServiceSpec): FieldError[] {
  return [
    ...priority(spec.groupPriorityMinimum ?? 0, maxGroupPriority, path.child('groupPriorityMinimum')),
    ...priority(spec.versionPriority ?? 0, maxVersionPriority, path.child('versionPriority')),
  ];
}

function priority(value: number, max: number, at: FieldPath): FieldError[] {
  return value <= 0 || value > max
    ? [invalid(at, value, `must be positive and less than ${String(max)}`)]
    : [];
}

function connectionErrors(spec: APIServiceSpec): FieldError[] {
  const bundleBytes = Buffer.byteLength(spec.caBundle ?? '', 'base64');
  const isInsecure = spec.insecureSkipTLSVerify === true;
  const insecure = path.child('insecureSkipTLSVerify');
  if (spec.service == null) {
    return [
      ...(bundleBytes > 0
        ? [
            invalid(
              path.child('caBundle'),
              `${String(bundleBytes)} bytes`,
              'local APIServices may not have a caBundle',
            ),
          ]
        : []),
      ...(isInsecure
        ? [invalid(insecure, true, 'local APIServices may not have insecureSkipTLSVerify')]
        : []),
    ];
  }
  const at = path.child('service');
  return [
    ...need(spec.service.namespace, at.child('namespace')),
    ...need(spec.service.name, at.child('name')),
    ...given(spec.service.port, at.child('port'), portNumber),
    ...(isInsecure && bundleBytes > 0
      ? [invalid(insecure, true, 'may not be true if caBundle is present')]
      : []),
  ];
}

function availability(service: APIService): string {
  const condition = service.status?.conditions?.find(({ type }) => type === 'Available');
  if (!condition) return 'Unknown';
  const status = condition.status ?? '';
  return status !== 'True' && condition.reason ? `${status} (${condition.reason})` : status;
}

export const apiServices = defineResource<APIService>({
  kind: 'APIService',
  plural: 'apiservices',
  categories: ['api-extensions'],
  namespaced: false,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.19',
      removedIn: '1.22',
      replacement: 'apiregistration.{api}/v1 APIService',
    },
  ],
  validateName: nameIsPathSegment,
  strategy: {
    ...{ unconditionalUpdate: false, allowsBareFinalizers: true },
    ...{ prepareForCreate, prepareForUpdate: keepStatus, validate },
  },
  subresources: [
    statusSubresource<APIService>({
      prepareForUpdate: keepAllButStatus,
      validateUpdate: (next) =>
        validateConditions(next.status?.conditions, FieldPath.of('status').child('conditions')),
    }),
  ],
  columns: [
    nameColumn,
    column<APIService>(
      'Service',
      ({ spec }) =>
        spec?.service == null ? 'Local' : `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}`,
      { description: 'Service that answers, Local when it is this server.' },
    ),
    column<APIService>('Available', availability, { description: 'Whether the service answers.' }),
    ageColumn,
  ],
});
