// The three tools of examples/echo, for either SDK.
import { setTimeout } from "node:timers/promises";
import { z } from "zod";

const Style = z.enum(["plain", "upper", "lower"]);

const tools = {
  echo: {
    description: "Says a text again, in the style and as often as asked.",
    input: {
      text: z.string().min(1),
      style: Style.default("plain"),
      times: z.number().int().min(1).max(5).default(1),
      tags: z.array(z.string().max(40)).max(8).default([]),
      reverse: z.boolean().default(false),
      note: z.string().max(200).optional(),
    },
    output: {
      text: z.string(),
      length: z.number().int(),
      style: Style,
      tags: z.array(z.string()),
      note: z.string().optional(),
    },
    work({ text, style, times, tags, reverse, note }) {
      let said = text.repeat(times);
      if (style === "upper") said = said.toUpperCase();
      if (style === "lower") said = said.toLowerCase();
      if (reverse) said = [...said].reverse().join("");
      return { text: said, length: said.length, style, tags, note };
    },
  },
  add: {
    description: "Adds whole numbers and answers with their sum.",
    input: { numbers: z.array(z.number().int()).min(1).max(100) },
    output: { sum: z.number().int() },
    work: ({ numbers }) => ({ sum: numbers.reduce((sum, number) => sum + number, 0) }),
  },
  wait: {
    description: "Waits in steps of a tenth of a second.",
    input: { steps: z.number().int().min(0).max(600) },
    output: { waited: z.number().int() },
    work: ({ steps }) => setTimeout(steps * 100, { waited: steps }),
  },
};

// `shape` makes of a record of schemas what the SDK wants.
export function register(server, shape) {
  for (const [name, { description, input, output, work }] of Object.entries(tools)) {
    const about = { description, inputSchema: shape(input), outputSchema: shape(output) };
    server.registerTool(name, about, async (request) => {
      const body = await work(request);
      return { content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: body };
    });
  }
  return server;
}
