/** The container of a pod that a connection means. */
import type { Pod } from '../../api/core/v1.types.ts';
import type { JsonObject } from '../../base/json.ts';
import { badRequest } from '../../meta/status.ts';

/**
 * The named container, or the only one.
 * @param hasEphemeral containers that were added to a running pod count, too
 * @throws StatusError 400
 */
export function containerOf(pod: Pod, options: JsonObject, hasEphemeral: boolean): string {
  const wanted = typeof options['container'] === 'string' ? options['container'] : '';
  const { containers, initContainers, ephemeralContainers } = pod.spec ?? {};
  const own = namesOf(containers);
  const all = [...namesOf(initContainers), ...own, ...(hasEphemeral ? namesOf(ephemeralContainers) : [])];
  const name = pod.metadata?.name ?? '';
  if (wanted !== '') {
    if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  const [only] = own;
  if (only !== undefined && own.length === 1) return only;
  const choice = own.length === 0 ? '' : `, choose one of: [${all.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${name}${choice}`);
}

function namesOf(containers: readonly { readonly name?: string | undefined }[] | null | undefined): string[] {
  return (containers ?? []).map(({ name = '' }) => name);
}
