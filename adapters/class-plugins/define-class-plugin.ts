import './reflect-polyfill.ts';
import { container, inject } from 'tsyringe';
import type { Ref } from '../../kernel/internal-api.ts';
import { definePlugin, type Plugin, type PluginContext, type Requires } from '../../kernel/plugin-api.ts';

/** The context that `setup` of a class plugin receives. It lacks the services, which the constructor receives. */
export type ClassPluginContext<C = undefined> = Omit<PluginContext<Record<never, never>, C>, 'use'>;

/** A class whose constructor takes services, each marked with `@port(ref)`. */
export interface ClassPlugin<C = undefined> {
  setup(context: ClassPluginContext<C>): void | Promise<void>;
  /** Runs when the node stops. */
  stop?(): void | Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: constructor parameters are resolved by their tokens
type PluginClass<C> = new (...services: any[]) => ClassPlugin<C>;

/**
 * Marks a constructor parameter with the ref of its service. Every parameter needs a mark, because types do not exist
 * at run time.
 */
export const port = <T>(ref: Ref<T>): ParameterDecorator => inject(ref.id) as ParameterDecorator;

/**
 * Turns a decorated class into an ordinary plugin; the kernel cannot tell the difference. Each node resolves the class
 * in a container of its own, disposed when the plugin stops, so two nodes in one process share nothing. A ref that the
 * class asks for and `requires` does not list fails the setup. `@singleton()` and `@autoInjectable()` must not be used:
 * they register in a container that all nodes share.
 */
export const defineClassPlugin = <C = undefined, R extends Requires = Record<never, never>>(
  pluginClass: PluginClass<C>,
  metadata: Omit<Plugin<R, C>, 'setup'>,
): Plugin<R, C> => {
  return definePlugin<R, C>({
    ...metadata,
    async setup(context) {
      const { use, ...rest } = context;
      const own = container.createChildContainer();
      for (const [member, wanted] of Object.entries(metadata.requires ?? {})) {
        const ref: Ref<unknown> = 'optional' in wanted ? wanted.optional : wanted;
        own.register(ref.id, { useValue: (use as Readonly<Record<string, unknown>>)[member] });
      }
      const instance = own.resolve(pluginClass);
      context.onStop(async () => {
        await instance.stop?.();
        await own.dispose();
      });
      await instance.setup(rest);
    },
  });
};
