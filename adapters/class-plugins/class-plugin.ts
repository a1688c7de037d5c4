/**
 * The decorators for authors of class-style plugins. Authors import them from here instead of tsyringe, because its
 * polyfill must load first.
 */
import './reflect-polyfill.ts';

export { injectable } from 'tsyringe';
export { type ClassPlugin, type ClassPluginContext, defineClassPlugin, port } from './define-class-plugin.ts';
