/** The configuration of EventRateLimit: its limits, with every error and its line. */
import { eventLimitTypes, type EventLimit } from '../../admission/event-rate-limit.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { at, type Placed, type YamlFile } from '../yaml-file.ts';

const defaultCacheSize = 4_096;
const mostKeys = 1_000_000;
const mostEvents = 2 ** 31 - 1;

/** Reads them from a file or from a place within it; errors are added to those of the file. */
export function readEventLimits(
  file: YamlFile,
  place: Placed<JsonValue | undefined>,
  { apiDomain }: NamingProfile,
): EventLimit[] {
  const versions = [`eventratelimit.admission.${apiDomain}/v1alpha1`];
  const configuration = file.typed(place, { kind: 'Configuration', versions }, ['limits']);
  if (!configuration) return [];
  const items = file.objects(configuration, 'limits');
  if (items.length === 0) file.add(at(place.path, 'limits'), 'limits are missing', place.path);
  const limits = items.flatMap((item) => readLimit(file, item) ?? []);
  assertApart(file, items);
  return limits;
}

function readLimit(file: YamlFile, item: Placed<JsonObject>): EventLimit | undefined {
  file.known(item, ['type', 'qps', 'burst', 'cacheSize']);
  const type = file.word(item, 'type', eventLimitTypes);
  const events = { least: 1, most: mostEvents, otherwise: 0 };
  const qps = file.integer(item, 'qps', events);
  const burst = file.integer(item, 'burst', events);
  const sent = file.integer(item, 'cacheSize', { least: 0, most: mostKeys, otherwise: 0 });
  return type && { type, qps, burst, cacheSize: sent === 0 ? defaultCacheSize : sent };
}

/** Each type may have one limit only. */
function assertApart(file: YamlFile, items: readonly Placed<JsonObject>[]): void {
  const seen = new Set<JsonValue>();
  for (const { value, path } of items) {
    const { type } = value;
    if (type === undefined) continue;
    if (seen.has(type)) file.add(at(path, 'type'), `type ${JSON.stringify(type)} has more than one limit`);
    seen.add(type);
  }
}
