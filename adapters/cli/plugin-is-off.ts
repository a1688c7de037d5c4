import { ServiceError } from '../../ports/ports.ts';

/** For a command that has nothing to work with while the plugin is switched off. */
export const pluginIsOff = (name: string): ServiceError =>
  new ServiceError('unavailable', `the plugin "${name}" is off`, {
    hint: `switch it on in the configuration file: { "plugins": { "${name}": true } }`,
  });
