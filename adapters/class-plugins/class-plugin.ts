/** The imports of an author of class-style plugins. They take the place of tsyringe, whose polyfill must load first. */
import './reflect-polyfill.ts';

export { injectable } from 'tsyringe';
export { type ClassPlugin, type ClassPluginContext, defineClassPlugin, port } from './define-class-plugin.ts';
