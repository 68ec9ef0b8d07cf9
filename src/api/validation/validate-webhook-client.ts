/** How webhooks are reached: by address or by service, never both. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { dns1123Subdomain } from './name-rules.ts';
import { portNumber } from './net.ts';
import type { Maybe } from './rules.ts';
import { given, need } from './rules.ts';

export interface WebhookClientLike {
  readonly url?: Maybe<string>;
  readonly service?: Maybe<ServiceLike>;
}

interface ServiceLike {
  readonly namespace?: Maybe<string>;
  readonly name?: Maybe<string>;
  readonly path?: Maybe<string>;
  readonly port?: Maybe<number>;
}

/** Errors in how a webhook is reached. */
export function validateWebhookClient(client: WebhookClientLike, at: FieldPath): FieldError[] {
  if ((client.url == null) === (client.service == null))
    return [required(at, 'exactly one of url or service is required')];
  return [
    ...given(client.url, at.child('url'), validateUrl),
    ...given(client.service, at.child('service'), validateService),
  ];
}

function validateUrl(text: string, at: FieldPath): FieldError[] {
  const form = '; desired format: https://host[/path]';
  if (!URL.canParse(text)) return [required(at, `url must be a valid URL${form}`)];
  const url = new URL(text);
  const invalidIf = (isWrong: boolean, message: string): FieldError[] =>
    isWrong ? [invalid(at, text, message)] : [];
  return [
    ...invalidIf(url.protocol !== 'https:', `'https' is the only allowed URL scheme${form}`),
    ...invalidIf(url.host === '', `host must be specified${form}`),
    ...invalidIf(url.username !== '' || url.password !== '', 'user information is not permitted in the URL'),
    ...invalidIf(text.includes('#'), 'fragments are not permitted in the URL'),
    ...invalidIf(text.includes('?'), 'query parameters are not permitted in the URL'),
  ];
}

function validateService(service: ServiceLike, at: FieldPath): FieldError[] {
  const path = at.child('path');
  return [
    ...need(service.name, at.child('name')),
    ...need(service.namespace, at.child('namespace')),
    ...given(service.port, at.child('port'), portNumber),
    ...given(service.path || undefined, path, (text) => {
      if (text === '/') return [];
      const steps = text.replace(/^\//, '').replace(/\/$/, '').split('/');
      return [
        ...(text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]),
        ...steps.flatMap((step, i) =>
          step === ''
            ? [invalid(path, text, `segment[${String(i)}] may not be empty`)]
            : dns1123Subdomain(step).map((message) =>
                invalid(path, text, `segment[${String(i)}]: ${message}`),
              ),
        ),
      ];
    }),
  ];
}
