#!/usr/bin/env node
// Starts the program that npm installed for this platform.
"use strict";

const { spawn } = require("node:child_process");

const name = `@quaestio/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "quaestio.exe" : "quaestio";

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `error: the package ${name} is not installed. Either there is no program for this platform, or npm was told to leave out optional ` +
      "packages: run `npm install quaestio --include=optional`.",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`error: could not start ${program}: ${error.message}`);
  process.exit(1);
});
// A terminal sends an interrupt to the program as well, which then ends in its own way.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
