import type { BootProblem } from '../kernel/problems/boot-problem.ts';
import { ADAPTER_API } from '../ports/ports.ts';
import { importThirdParty } from './import-third-party.ts';

/** The common members of adapters of all ports. */
interface AnyAdapter {
  readonly port: { readonly id: string };
  readonly name: string;
  readonly adapterApi: number;
  readonly create: unknown;
}

/** A part of the configuration that names an adapter, and the required members of that adapter. */
export interface AdapterSlot {
  /** The part of the configuration: `store`, `transport` and so on. */
  readonly name: string;
  readonly port: { readonly id: string };
  /** The name of the `defineX` function for authors, for hints. */
  readonly define: string;
  /** Functions beside `create` that the port requires. */
  readonly functions: readonly string[];
}

/**
 * Imports a third party's adapter. `from` is a path, relative to the folder, or the name of a package that is installed
 * there or beside the node. The module exports one adapter of the port. Undefined, with a problem and advice, when
 * there is none.
 */
export const loadThirdPartyAdapter = async <A>(
  slot: AdapterSlot,
  { from, folder }: { readonly from: unknown; readonly folder: string },
  problems: BootProblem[],
): Promise<A | undefined> => {
  const where = `adapters.${slot.name}.from`;
  if (typeof from !== 'string' || from === '') {
    problems.push({ message: `${where} accepts the path of a module, or the name of a package` });
    return undefined;
  }
  const exported = await importThirdParty({ where, from, folder }, problems);
  if (exported === undefined) return undefined;
  const adapters = [...new Set(Object.values(exported).filter(looksLikeAdapter))];
  const fitting = adapters.filter(({ port }) => port.id === slot.port.id);
  const [adapter] = fitting;
  if (adapter === undefined || fitting.length > 1) {
    const found = fitting.length > 1 ? `${fitting.length} adapters` : 'no adapter';
    problems.push({
      message: `${where}: the module exports ${found} for ${slot.port.id}`,
      hint: `export one, as ${slot.define} returns it: an object with port, name, adapterApi and create`,
    });
    return undefined;
  }
  const flaw = flawOf(adapter, slot);
  if (flaw === undefined) return adapter as A;
  problems.push({ message: `${where}: ${flaw}` });
  return undefined;
};

const looksLikeAdapter = (value: unknown): value is AnyAdapter =>
  typeof value === 'object' && value !== null && isRef((value as Partial<AnyAdapter>).port);

const isRef = (port: unknown): boolean =>
  typeof port === 'object' && port !== null && typeof (port as { readonly id?: unknown }).id === 'string';

const flawOf = (adapter: AnyAdapter, slot: AdapterSlot): string | undefined => {
  if (adapter.adapterApi !== ADAPTER_API) {
    return `the adapter was made for another version of this node (adapterApi must be ${ADAPTER_API})`;
  }
  if (typeof adapter.name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(adapter.name)) {
    return 'the name of the adapter must be in kebab-case';
  }
  const functions = adapter as unknown as Readonly<Record<string, unknown>>;
  const missing = ['create', ...slot.functions].filter((name) => typeof functions[name] !== 'function');
  return missing.length === 0 ? undefined : `the adapter lacks ${missing.map((name) => `${name}()`).join(' and ')}`;
};
