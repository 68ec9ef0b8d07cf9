/** AlwaysAdmit and AlwaysDeny: the same answer to every write, for tests. */
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createAlwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit' };
}

export function createAlwaysDeny(): AdmissionPlugin {
  const deny = ({ scope, name }: AdmissionAttributes): never => {
    throw forbidden(scope.resource.gvr, name, 'admission control is denying all modifications');
  };
  return { name: 'AlwaysDeny', admit: deny, validate: deny };
}
