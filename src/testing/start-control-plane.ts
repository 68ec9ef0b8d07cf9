/** Starts control planes in this process. */
import { StartError } from '../base/start-error.ts';
import { checkOptions } from './check-options.ts';
import { ControlPlane } from './control-plane.ts';
import { randomSeed } from './seeds.ts';
import { engineOrderOf } from './engine-order.ts';
import { HostThread } from './host-thread.ts';
import { flagsOf, inOptions, type ControlPlaneOptions } from './options.ts';
import { Users } from './users.ts';

/**
 * Starts a control plane: a server on a free port of loopback with its controllers, over an etcd, in memory
 * unless another is asked for. The caller stops it; what is forgotten ends with the process.
 * @throws TypeError for options that are not there, or not what they may be; StartError with all faults of the flags at once; ApiError for what the service does not accept
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  checkOptions(options);
  const flags = flagsOf(options);
  const host = HostThread.shared();
  const users = new Users();
  for (const user of options.users ?? []) users.add(user);
  const { advertiseAddress, advertisePort } = options;
  const pki = await host.call('authorities', advertiseAddress === undefined ? [] : [advertiseAddress]);
  const order = {
    engine: engineOrderOf(options),
    flags,
    pki: { ca: pki.ca.certificate, server: pki.server, tokenKey: pki.tokenKey },
    hasVirtualClock: options.clock === 'virtual',
    printsLog: options.logs === 'printed',
  };
  const started = await host.call('start', { ...order, tokens: users.all() }).catch((error: unknown) => {
    throw withOptions(error, options);
  });
  const controlPlane = new ControlPlane({
    ...{ host, pki, users, order, started },
    advertised: { address: advertiseAddress, port: advertisePort },
    attachesLog: options.logs !== 'quiet',
    seed: options.seed ?? randomSeed(),
  });
  try {
    if (options.state !== undefined) await controlPlane.load(options.state);
    await install(host, started.plane, options);
    if (installs(options)) await controlPlane.remember();
    return controlPlane;
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

/** Faults of flags are faults of the options that stand for them. */
function withOptions(error: unknown, options: ControlPlaneOptions): unknown {
  if (!(error instanceof StartError)) return error;
  const inWords = (text: string): string => inOptions(text, options);
  return new StartError(
    error.errors.map(({ code, cause, remedy }) => ({ code, cause: inWords(cause), remedy: inWords(remedy) })),
    error,
  );
}

/** There is more from the start than a start makes. */
function installs({ state, crds = [], objects = [] }: ControlPlaneOptions): boolean {
  return state !== undefined || crds.length > 0 || objects.length > 0;
}

async function install(host: HostThread, plane: number, options: ControlPlaneOptions): Promise<void> {
  const { crds = [], objects = [] } = options;
  if (crds.length === 0 && objects.length === 0) return;
  const texts = objects.map((each) => (typeof each === 'string' ? each : { json: JSON.stringify(each) }));
  await host.call('install', plane, { definitions: crds, objects: texts });
}
