// no compute entry point
