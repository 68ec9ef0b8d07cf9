/** The configuration of ImagePolicyWebhook, below the key `imagePolicy`. */
import { resolve } from 'node:path';
import type { ImagePolicyConfig } from '../../admission/image-policy-webhook.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { ConfiguredWebhook } from '../../webhook/webhook-client.ts';
import { at, type Placed, type YamlFile } from '../yaml-file.ts';

export interface ImagePolicyFile extends ImagePolicyConfig {
  /** Path of the kubeconfig of the webhook. */
  readonly kubeconfig: string;
  /** Address and credentials from it; undefined if it cannot be used. */
  readonly webhook: ConfiguredWebhook | undefined;
  /** Milliseconds before the first failed call is repeated. */
  readonly retryMs: number;
}

const members = ['kubeConfigFile', 'allowTTL', 'denyTTL', 'retryBackoff', 'defaultAllow'];
const halfAnHour = 30 * 60;
const fiveMinutes = 5 * 60;

/** Reads it from a file or from a place within it; errors are added to those of the file. */
export function readImagePolicy(
  file: YamlFile,
  place: Placed<JsonValue | undefined>,
  folder: string,
): ImagePolicyFile | undefined {
  const { value, path } = place;
  const settings = isObject(value) ? value['imagePolicy'] : undefined;
  if (!isObject(value) || !isObject(settings)) {
    file.add(at(path, 'imagePolicy'), 'imagePolicy must be an object', path);
    return undefined;
  }
  file.known({ value, path }, ['imagePolicy']);
  const policy = { value: settings, path: at(path, 'imagePolicy') };
  file.known(policy, members);
  const kubeconfig = file.text(policy, 'kubeConfigFile');
  if (kubeconfig === '')
    file.add(at(policy.path, 'kubeConfigFile'), 'kubeConfigFile is missing', policy.path);
  const seconds = (name: string, otherwise: number): number =>
    duration(file, policy, { name, most: halfAnHour, otherwise });
  return {
    kubeconfig: kubeconfig === '' ? '' : resolve(folder, kubeconfig),
    webhook: undefined,
    allowedTtlMs: seconds('allowTTL', fiveMinutes) * 1_000,
    deniedTtlMs: seconds('denyTTL', 30) * 1_000,
    retryMs: duration(file, policy, { name: 'retryBackoff', most: fiveMinutes * 1_000, otherwise: 500 }),
    allowsOnFailure: file.boolean(policy, 'defaultAllow', false),
  };
}

/** 0 or nothing stands for the default, -1 for none at all. */
function duration(
  file: YamlFile,
  policy: Placed<JsonObject>,
  { name, most, otherwise }: { readonly name: string; readonly most: number; readonly otherwise: number },
): number {
  const sent = file.integer(policy, name, { least: -1, most, otherwise: 0 });
  if (sent === 0) return otherwise;
  return sent === -1 ? 0 : sent;
}
