/** Details of a Status that came from elsewhere. */
import { isObject, textOf, type JsonObject } from '../base/json.ts';
import type { StatusCause, StatusDetails } from './status.ts';

/** What a Status may say in its details, of what another server wrote there; the rest is left out. */
export function detailsOf({ causes, retryAfterSeconds, ...details }: JsonObject): StatusDetails {
  const seconds = isInt32(retryAfterSeconds) ? { retryAfterSeconds } : {};
  const reported = Array.isArray(causes) ? { causes: causes.filter(isObject).map(causeOf) } : {};
  return { ...textsOf(details, ['name', 'group', 'kind', 'uid']), ...reported, ...seconds };
}

/** What the field of the API can have: clients would not be able to read the Status otherwise. */
function isInt32(value: unknown): value is number {
  return typeof value === 'number' && value === (value | 0);
}

function causeOf(details: JsonObject): StatusCause {
  return textsOf(details, ['reason', 'message', 'field']);
}

function textsOf(details: JsonObject, names: readonly string[]): Record<string, string> {
  const texts = names.map((name) => [name, textOf(details[name])] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}
