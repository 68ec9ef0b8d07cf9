/** The configuration of PodTolerationRestriction: tolerations for namespaces that say nothing else. */
import type { PodTolerationConfig } from '../../admission/pod-toleration-restriction.ts';
import { validateTolerations } from '../../api/core/pod/tolerations.ts';
import type { Toleration } from '../../api/core/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { at, type Placed, type YamlFile } from '../yaml-file.ts';

const operators = ['Exists', 'Equal'];
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const mostSeconds = Number.MAX_SAFE_INTEGER;

/** Reads it from a file or from a place within it; errors are added to those of the file. */
export function readPodTolerations(
  file: YamlFile,
  place: Placed<JsonValue | undefined>,
  { apiDomain }: NamingProfile,
): PodTolerationConfig {
  const versions = [`podtolerationrestriction.admission.${apiDomain}/v1alpha1`];
  const configuration = file.typed(place, { kind: 'Configuration', versions }, ['default', 'whitelist']);
  const read = (name: string): Toleration[] =>
    configuration ? file.objects(configuration, name).map((item) => readToleration(file, item)) : [];
  return { default: read('default'), whitelist: read('whitelist') };
}

function readToleration(file: YamlFile, item: Placed<JsonObject>): Toleration {
  file.known(item, ['key', 'operator', 'value', 'effect', 'tolerationSeconds']);
  const text = (name: string): object => {
    const value = file.text(item, name);
    return value === '' ? {} : { [name]: value };
  };
  const word = (name: string, words: readonly string[]): object => {
    const value = item.value[name] === undefined ? undefined : file.word(item, name, words);
    return value === undefined ? {} : { [name]: value };
  };
  const seconds = file.integer(item, 'tolerationSeconds', {
    ...{ least: -mostSeconds, most: mostSeconds, otherwise: 0 },
  });
  const toleration: Toleration = {
    ...{ ...text('key'), ...word('operator', operators), ...text('value'), ...word('effect', effects) },
    ...(item.value['tolerationSeconds'] !== undefined && { tolerationSeconds: seconds }),
  };
  for (const { field, message } of validateTolerations([toleration], FieldPath.of('t'))) {
    const name = field.replace(/^t\[0\]\.?/, '');
    file.add(at(item.path, name), `${name}: ${message}`, item.path);
  }
  return toleration;
}
