/** Details of a Status that came from elsewhere. */
import { isObject, textOf, type JsonObject } from '../base/json.ts';
import type { StatusCause, StatusDetails } from './status.ts';

/** What a Status may say in its details, of what another server wrote there; the rest is left out. */
export function detailsOf({ causes, retryAfterSeconds, ...said }: JsonObject): StatusDetails {
  const seconds = typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {};
  const told = Array.isArray(causes) ? { causes: causes.filter(isObject).map(causeOf) } : {};
  return { ...textsOf(said, ['name', 'group', 'kind', 'uid']), ...told, ...seconds };
}

function causeOf(said: JsonObject): StatusCause {
  return textsOf(said, ['reason', 'message', 'field']);
}

function textsOf(said: JsonObject, names: readonly string[]): Record<string, string> {
  const texts = names.map((name) => [name, textOf(said[name])] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}
