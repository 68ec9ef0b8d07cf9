/** The agent of a node as a backend of the proxy. */
import { StatusError } from '../../meta/status.ts';
import type { NodeAgentCredentials } from '../../options/node-agent-options.ts';
import type { Backend } from '../../proxy/types.ts';
import type { NodeAgent } from '../../registry/subresources/connection-target.ts';

/** Port of agents that report none. */
const usualPort = 10_250;

export function portOf({ port }: NodeAgent): number {
  return port > 0 ? port : usualPort;
}

/**
 * The address of the most preferred type.
 * @throws StatusError 500 if the node reports none of the types
 */
export function hostOfAgent({ addresses }: NodeAgent, preferred: readonly string[]): string {
  for (const type of preferred) {
    const found = addresses.find((candidate) => candidate.type === type && candidate.address !== '');
    if (found) return found.address;
  }
  const known = addresses.map(({ type, address }) => `${type} ${address}`).join(', ');
  throw new StatusError(500, 'InternalError', `no preferred addresses found; known addresses: [${known}]`);
}

/** Without a CA bundle the agent cannot be verified, as in kube-apiserver. */
export function agentTls(
  { ca, cert, key }: NodeAgentCredentials,
  skipsVerification = false,
): NonNullable<Backend['tls']> {
  const isVerified = ca !== undefined && !skipsVerification;
  return { ...(isVerified ? { ca } : { insecureSkipVerify: true }), cert, key };
}
