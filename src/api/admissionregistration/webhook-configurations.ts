/** MutatingWebhookConfiguration and ValidatingWebhookConfiguration: who changes and who judges objects before they are written. */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource } from '../define.ts';
import type { ResourceDefinition, ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/names.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, same } from '../validation/rules.ts';
import type { Webhook } from './webhook-rules.ts';
import { validateStrictly, validateWebhook } from './webhook-rules.ts';

type Configuration = ApiObject & { webhooks?: Maybe<Webhook[]> };

const path = FieldPath.of('webhooks');

function validate({ webhooks }: Configuration): FieldError[] {
  return each(webhooks, path, validateWebhook);
}

function versions(kind: string): ResourceVersionDefinition[] {
  return [
    { version: 'v1', validate: (object) => validateStrictly((object as Configuration).webhooks, path) },
    {
      version: 'v1beta1',
      deprecatedIn: '1.16',
      removedIn: '1.22',
      replacement: `admissionregistration.{api}/v1 ${kind}`,
    },
  ];
}

function configuration(kind: string, plural: string): ResourceDefinition {
  return defineResource<Configuration>({
    kind,
    plural,
    categories: ['api-extensions'],
    namespaced: false,
    versions: versions(kind),
    validateName: nameIsDns1123Subdomain,
    strategy: {
      unconditionalUpdate: false,
      bumpsGeneration: (next, current) => !same(next.webhooks, current.webhooks),
      validate,
    },
    columns: [
      nameColumn,
      column<Configuration>('Webhooks', ({ webhooks }) => (webhooks ?? []).length, {
        type: 'integer',
        description: 'How many are called.',
      }),
      ageColumn,
    ],
  });
}

export const mutatingWebhookConfigurations = configuration(
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);
export const validatingWebhookConfigurations = configuration(
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
);
