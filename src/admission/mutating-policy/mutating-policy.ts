/** Mutating policies as they are obeyed. */
import type {
  MutatingAdmissionPolicySpec,
  MutatingAdmissionPolicyBindingSpec,
} from '../../api/admissionregistration/v1.types.ts';
import { mutationTypes } from '../../cel/admission/patch-types.ts';
import { PolicyIndex } from '../policy/policy-index.ts';
import { PolicyPrograms, type CompiledText, type CompileText } from '../policy/policy-programs.ts';
import { readBinding, readPolicy, readStored, type Binding, type Policy } from '../policy/policy.ts';

/** One change, compiled. */
export interface MutationProgram {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly text: CompiledText;
}

export interface MutatingPolicy extends Policy {
  readonly programs: PolicyPrograms<readonly MutationProgram[]>;
  /** Runs again when later ones changed the object (`reinvocationPolicy: IfNeeded`). */
  readonly reinvokesIfNeeded: boolean;
}

export type MutatingPolicyIndex = PolicyIndex<MutatingPolicy, Binding>;

export function createMutatingPolicyIndex(): MutatingPolicyIndex {
  return new PolicyIndex<MutatingPolicy, Binding>({
    *policy(entry) {
      const { name, spec } = yield* readStored<MutatingAdmissionPolicySpec>(entry);
      return {
        ...(yield* readPolicy(name, spec)),
        programs: new PolicyPrograms(spec, (compile) => compileMutations(spec, compile)),
        reinvokesIfNeeded: spec.reinvocationPolicy === 'IfNeeded',
      };
    },
    *binding(entry) {
      const { name, spec } = yield* readStored<MutatingAdmissionPolicyBindingSpec>(entry);
      return yield* readBinding(name, spec);
    },
  });
}

async function compileMutations(
  { mutations }: MutatingAdmissionPolicySpec,
  compile: CompileText,
): Promise<readonly MutationProgram[]> {
  const programs: MutationProgram[] = [];
  for (const { patchType, applyConfiguration, jsonPatch } of mutations ?? []) {
    const type = patchType === 'JSONPatch' ? 'JSONPatch' : 'ApplyConfiguration';
    const expression = (type === 'JSONPatch' ? jsonPatch : applyConfiguration)?.expression ?? '';
    const result = mutationTypes.get(type);
    const text = await compile(expression, { makesPatches: true, ...(result && { results: [result] }) });
    programs.push({ patchType: type, text });
  }
  return programs;
}
