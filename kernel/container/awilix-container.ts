// The entry for browsers, because the other one loads sixty modules that search files.
import { asFunction, asValue, createContainer as createAwilix, InjectionMode } from 'awilix/browser';
import type { Ref } from '../../ports/ports.ts';

/** Resolves the parts of one node. A ref's id is the registration name, so that call sites need no strings. */
export interface Container {
  /** Registers a finished value, for example a plugin's service. Throws when the ref has a value already. */
  provide<T>(ref: Ref<T>, value: T): void;
  /** Registers a part that `create` makes at its first use. The parts that `create` resolves are made before it. */
  provideSingleton<T>(ref: Ref<T>, create: (get: Get) => T): void;
  /** Replaces a registration. */
  replace<T>(ref: Ref<T>, value: T): void;
  has(ref: { readonly id: string }): boolean;
  get: Get;
  /** Removes all registrations. The kernel itself stops the parts, in its own order. */
  dispose(): Promise<void>;
}

/** Resolves a ref. Throws when nothing is registered for it. */
export type Get = <T>(ref: Ref<T>) => T;

export const createContainer = (): Container => {
  const awilix = createAwilix({ injectionMode: InjectionMode.PROXY, strict: true });
  const get: Get = <T>(ref: Ref<T>) => awilix.resolve<T>(ref.id);
  const refuseSecond = (id: string): void => {
    if (awilix.hasRegistration(id)) throw new Error(`${id} is already provided`);
  };
  return {
    get,
    has: (ref) => awilix.hasRegistration(ref.id),
    provide(ref, value) {
      refuseSecond(ref.id);
      awilix.register(ref.id, asValue(value));
    },
    provideSingleton(ref, create) {
      refuseSecond(ref.id);
      awilix.register(ref.id, asFunction(() => create(get)).singleton());
    },
    replace(ref, value) {
      awilix.register(ref.id, asValue(value));
    },
    dispose: () => awilix.dispose(),
  };
};
