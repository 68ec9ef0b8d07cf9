/** Every namespace has an account for pods that name none (Kubernetes documentation, "Managing Service Accounts"). */
import { serviceAccounts } from './core-resources.ts';
import { createPerNamespaceController } from './per-namespace.ts';
import type { Controller, ControllerContext } from './types.ts';

export function createServiceAccountController(frame: ControllerContext): Controller {
  return createPerNamespaceController({
    ...frame,
    name: 'serviceaccount',
    resource: serviceAccounts,
    objectName: 'default',
    content: {},
    isRight: () => true,
  });
}
