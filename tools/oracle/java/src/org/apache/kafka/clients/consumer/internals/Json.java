package org.apache.kafka.clients.consumer.internals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON object that keeps the order in which its fields were put: the same facts are the same bytes. */
final class Json extends LinkedHashMap<String, Object> {
    Json with(String field, Object value) {
        put(field, value);
        return this;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        write(text, this);
        return text.toString();
    }

    private static void write(StringBuilder text, Object value) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            text.append(value);
        } else if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text.append(separator);
                quote(text, (String) entry.getKey());
                text.append(':');
                write(text, entry.getValue());
                separator = ",";
            }
            text.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object item : list) {
                text.append(separator);
                write(text, item);
                separator = ",";
            }
            text.append(list.isEmpty() ? "[]" : "]");
        } else {
            quote(text, value.toString());
        }
    }

    private static void quote(StringBuilder text, String string) {
        text.append('"');
        for (char c : string.toCharArray()) {
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> text.append(c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
            }
        }
        text.append('"');
    }
}
