/** Config maps as the clients of the API write and read them, and their selectors. */
import type { JsonObject } from '../../../src/base/json.ts';
import { StatusError } from '../../../src/meta/status.ts';
import type { Entry } from '../../../src/storage/types.ts';
import type { Filter, Labels, ReadError, State, StoredState } from '../../support/histories/types.ts';
import { NoAnswer } from './answered.ts';
import type { SeededRandom } from './seeded-random.ts';

const colors = ['red', 'green'] as const;
const shapes = ['round', 'square'] as const;

/** Labels of which selectors find some. */
export function someLabels(random: SeededRandom): Labels {
  return {
    ...(random.chance(0.8) && { color: random.pick(colors) }),
    ...(random.chance(0.5) && { shape: random.pick(shapes) }),
  };
}

/** What a list or watch selects: everything, a namespace, or some of either by labels. */
export function someFilter(random: SeededRandom, keys: readonly string[]): Filter {
  const prefix = random.chance(0.5) ? '' : `${random.pick(keys).split('/')[0] ?? ''}/`;
  return random.chance(0.3) ? { prefix } : { prefix, labels: someSelector(random) };
}

function someSelector(random: SeededRandom): Labels {
  const color = random.pick(colors);
  return random.chance(0.7) ? { color } : { color, shape: random.pick(shapes) };
}

/** The selector as text. */
export function selectorOf({ labels = {} }: Filter): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** The namespace that a filter or key is in; '' for all. */
export function namespaceOf(place: string): string {
  return place.split('/')[0] ?? '';
}

export function nameOf(key: string): string {
  return key.split('/')[1] ?? '';
}

interface StoredConfigMap extends JsonObject {
  readonly metadata: { readonly labels?: Record<string, string>; readonly uid: string };
  readonly data?: { readonly value: string };
}

export function storedStateOf(text: Buffer): StoredState {
  const { metadata, data } = JSON.parse(text.toString()) as StoredConfigMap;
  return { value: data?.value ?? '', labels: metadata.labels ?? {}, uid: metadata.uid };
}

export function apiStateOf({ key, modRevision, bytes }: Entry): State {
  return { ...storedStateOf(bytes), key, version: modRevision };
}

/** @throws what is no answer to a read */
export function apiReadError(error: unknown): ReadError {
  if (error instanceof NoAnswer) return 'unavailable';
  if (!(error instanceof StatusError)) throw error;
  if (error.code === 410) return 'expired';
  if (error.code === 503) return 'unavailable';
  if (error.code !== 504) throw error;
  return error.status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') === true
    ? 'tooLarge'
    : 'unavailable';
}
