/** What a webhook's answer makes of the object of a write. */
import { messageOf } from '../../base/errors.ts';
import { deepEqual, isObject } from '../../base/json.ts';
import { decodeJson } from '../../codec/decode-json.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import { applyJsonPatch, parseJsonPatch, type JsonPatchOperation } from '../../patch/json-patch.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import { copyLimit, takePatched, UnusablePatch } from '../patched-object.ts';
import type { WebhookResult } from './call-webhook.ts';
import { CallFailure, failedInternally } from './failures.ts';
import type { Invocation } from './match-rules.ts';
import type { WebhookDependencies } from './dependencies.ts';

/**
 * Applies what a webhook answered to the object of the write, in place. False: it changes nothing.
 * @throws GrownWrite; StatusError 500 for a patch that cannot be applied or leaves no object of the kind, 400 for another namespace
 */
export async function applyAdmissionResponse(
  parts: WebhookDependencies,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  result: WebhookResult,
): Promise<boolean> {
  try {
    return await apply(parts, invocation, attributes, result);
  } catch (error) {
    if (!(error instanceof UnusablePatch)) throw error;
    const { message } = new CallFailure(invocation.hook.name, error.message);
    throw failedInternally(message, error);
  }
}

async function apply(
  parts: WebhookDependencies,
  { hook, resource }: Invocation,
  attributes: AdmissionAttributes,
  { response, object }: WebhookResult,
): Promise<boolean> {
  const operations = readPatch(response.patch);
  if (operations.length === 0) return false;
  const { object: target } = attributes;
  if (!target || !object) {
    const name = JSON.stringify(hook.name);
    throw failedInternally(
      `admission webhook ${name} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const patched = orUnusable(() => applyJsonPatch(object, operations, copyLimit(attributes.scope)));
  if (!isObject(patched)) throw new UnusablePatch('the patch leaves no object');
  if (deepEqual(patched, object)) return false;
  await takePatched(parts, { attributes, resource, target }, patched);
  return true;
}

function readPatch(patch: string): readonly JsonPatchOperation[] {
  if (patch === '') return [];
  return orUnusable(() => parseJsonPatch(decodeJson(Buffer.from(patch, 'base64')).value));
}

function orUnusable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof GrownWrite) throw error;
    throw new UnusablePatch(messageOf(error), error);
  }
}
