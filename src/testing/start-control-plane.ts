/** Starts control planes in this process. */
import { makeMemoryPki, type MemoryPki } from '../pki/memory-pki.ts';
import { ControlPlane } from './control-plane.ts';
import { HostThread } from './host-thread.ts';
import { installDefinitions, installObjects } from './install.ts';
import { flagsOf, type ControlPlaneOptions } from './options.ts';
import { Users } from './users.ts';

/** Of all control planes of this process: keys take time. */
let pki: Promise<MemoryPki> | undefined;

/**
 * Starts a control plane: a server on a free port of loopback with its controllers, over an etcd in memory. Whoever
 * starts it stops it; what is forgotten ends with the process.
 * @throws StartError with all faults of the options at once; ApiError for what the service does not accept
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const host = HostThread.shared();
  const flags = flagsOf(options);
  const users = new Users();
  for (const user of options.users ?? []) users.add(user);
  pki ??= makeMemoryPki(Date.now());
  const made = await pki;
  const order = { flags, pki: { ca: made.ca.certificate, server: made.server, tokenKey: made.tokenKey } };
  const started = await host.call('start', { ...order, tokens: users.all() });
  const controlPlane = new ControlPlane({ host, pki: made, users, order, started });
  try {
    await installDefinitions(controlPlane.admin, options.crds ?? []);
    await installObjects(controlPlane.admin, options.objects ?? []);
    await controlPlane.remember();
    return controlPlane;
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}
