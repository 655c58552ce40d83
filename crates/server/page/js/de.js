/** The page in German. */
export const words = {
  "Opening…": "Wird geöffnet …",
};
