/** ServiceAccount: an identity for pods, with the names of the secrets that hold its credentials. */
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import type { SubresourceDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import type { ServiceAccount as ServiceAccountFields } from './v1.types.ts';

type ServiceAccount = Stored<ServiceAccountFields>;

/** Secrets are named, never described: the other fields of the reference are dropped. */
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

const token: SubresourceDefinition<ServiceAccount> = {
  name: 'token',
  kind: { group: 'authentication.{api}', version: 'v1', kind: 'TokenRequest' },
  verbs: ['create'],
  type: 'action',
  handler: 'token',
};

export const serviceAccounts = defineResource<ServiceAccount>({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  namespaced: true,
  versions: [{ version: 'v1' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
    deleteReturns: 'object',
  },
  subresources: [token],
  columns: [
    nameColumn,
    column<ServiceAccount>('Secrets', (account) => (account.secrets ?? []).length, {
      description: 'Number of secrets that hold credentials.',
    }),
    ageColumn,
  ],
});
