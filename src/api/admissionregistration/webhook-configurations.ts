/**
 * MutatingWebhookConfiguration and ValidatingWebhookConfiguration: webhooks that mutate and validate objects before
 * they are written.
 */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource } from '../define.ts';
import type { ApiContext, ResourceDefinition, ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import type { Maybe } from '../validation/rules.ts';
import { same } from '../validation/rules.ts';
import { ExpressionRules } from './expression-rules.ts';
import type { Webhook } from './webhook-rules.ts';
import { conditionTexts, strictnessOf, validateWebhooks } from './webhook-rules.ts';

type Configuration = ApiObject & { webhooks?: Maybe<Webhook[]> };

const path = FieldPath.of('webhooks');

function validate({ webhooks }: Configuration, context: ApiContext, current?: Configuration): FieldError[] {
  const strictness = strictnessOf(context.version, current?.webhooks ?? []);
  const expressions = new ExpressionRules(context, conditionTexts(current?.webhooks));
  return validateWebhooks(webhooks, path, strictness, expressions);
}

/** In v1beta1 an empty list says no more than none. */
function fillReviewVersions(object: ApiObject): void {
  for (const webhook of (object as Configuration).webhooks ?? []) {
    if ((webhook.admissionReviewVersions ?? []).length === 0) webhook.admissionReviewVersions = ['v1beta1'];
  }
}

function versions(kind: string): ResourceVersionDefinition[] {
  return [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.16',
      removedIn: '1.22',
      replacement: `admissionregistration.{api}/v1 ${kind}`,
      applyDefaults: fillReviewVersions,
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
      allowsBareFinalizers: true,
      bumpsGeneration: (next, current) => !same(next.webhooks, current.webhooks),
      validateCreate: (created, context) => validate(created, context),
      validateUpdate: (next, current, context) => validate(next, context, current),
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
