/** Probes and life cycle handlers of containers. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { httpHeaderName } from '../../validation/names.ts';
import { portNumberOrName } from '../../validation/net.ts';
import type { Maybe } from '../../validation/rules.ts';
import { each, given, need, nonNegative, obeys, positive } from '../../validation/rules.ts';
import type { Container, Handler, HTTPGetAction, Probe } from '../v1.types.ts';

/** The three probes of a container and what it does after start and before stop. */
export function validateProbesAndLifecycle(container: Container, path: FieldPath): FieldError[] {
  const lifecycle = path.child('lifecycle');
  return [
    ...validateProbe(container.livenessProbe, path.child('livenessProbe'), true),
    ...validateProbe(container.readinessProbe, path.child('readinessProbe'), false),
    ...validateProbe(container.startupProbe, path.child('startupProbe'), true),
    ...given(container.lifecycle?.postStart, lifecycle.child('postStart'), validateHandler),
    ...given(container.lifecycle?.preStop, lifecycle.child('preStop'), validateHandler),
  ];
}

/** `once`: one success decides, so that the success threshold must be 1. */
function validateProbe(probe: Maybe<Probe>, path: FieldPath, once: boolean): FieldError[] {
  return given(probe, path, (value, at) => [
    ...validateHandler(value, at),
    ...(
      [
        'initialDelaySeconds',
        'timeoutSeconds',
        'periodSeconds',
        'successThreshold',
        'failureThreshold',
      ] as const
    ).flatMap((field) => given(value[field], at.child(field), nonNegative)),
    ...given(value.terminationGracePeriodSeconds, at.child('terminationGracePeriodSeconds'), positive),
    ...(once && value.successThreshold !== 1
      ? [invalid(at.child('successThreshold'), value.successThreshold, 'must be 1')]
      : []),
  ]);
}

function validateHandler(handler: Handler, path: FieldPath): FieldError[] {
  const types = (['exec', 'httpGet', 'tcpSocket'] as const).filter((type) => handler[type] != null);
  if (types.length === 0) return [required(path, 'must specify a handler type')];
  return [
    ...types.slice(1).map((type) => forbidden(path.child(type), 'may not specify more than 1 handler type')),
    ...given(handler.exec, path.child('exec'), (exec, at) =>
      (exec.command ?? []).length === 0 ? [required(at.child('command'))] : [],
    ),
    ...given(handler.httpGet, path.child('httpGet'), validateHttpGet),
    ...given(handler.tcpSocket, path.child('tcpSocket'), (socket, at) =>
      portNumberOrName(socket.port ?? 0, at.child('port')),
    ),
  ];
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath): FieldError[] {
  return [
    ...need(action.path, path.child('path')),
    ...portNumberOrName(action.port ?? 0, path.child('port')),
    ...each(action.httpHeaders, path.child('httpHeaders'), (header, at) =>
      obeys(httpHeaderName)(header.name ?? '', at.child('name')),
    ),
  ];
}
